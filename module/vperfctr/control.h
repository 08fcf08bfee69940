/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/control.h -- settings of an object come into force, and end; its sums are read.
 */
#ifndef VPERFCTR_CONTROL_H
#define VPERFCTR_CONTROL_H

#include <linux/compiler.h>
#include <linux/types.h>

struct cred;
struct vperfctr;
struct vperfctr_control;
struct vperfctr_read;
struct vperfctr_sum_ctrs;

/* The calls, on a file's object; each says whether the caller may. @control and @out are the kernel's copies; @opener made the file. */
int vperfctr_control(struct vperfctr *v, const struct cred *opener, const struct vperfctr_control *control);
/* Fills only the parts that are wanted, whole: VPERFCTR_READ_*. */
int vperfctr_read(struct vperfctr *v, u32 want, struct vperfctr_read *out);
/* The caller's own sums, of slots that only a call tells of, in one go; EFAULT: not at the moment, and vperfctr_read() does. */
int vperfctr_read_own(struct vperfctr *v, struct vperfctr_sum_ctrs __user *to);
int vperfctr_unlink(struct vperfctr *v);
int vperfctr_iresume(struct vperfctr *v);
/* What the owner's task_work does. */
void vperfctr_take_pending(struct vperfctr *v);
void vperfctr_take_resume(struct vperfctr *v);
void vperfctr_take_exec(struct vperfctr *v);
void vperfctr_take_forbidden(struct vperfctr *v);
/* The end: dead, or only detached. Idempotent. */
void vperfctr_end(struct vperfctr *v, bool dead);
/* Finish the detachment of the caller's objects that tracers have unlinked, to make room for a new object. */
void vperfctr_end_leaving(void);

#endif
