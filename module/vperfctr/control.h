/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/control.h -- starting, changing and ending an object's counting, and reading its sums.
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

/* The ioctls on a file's object; each checks the caller's rights. @control and @out are kernel
 * memory; @opener: the credentials with which the file was made. */
int vperfctr_control(struct vperfctr *v, const struct cred *opener,
		     const struct vperfctr_control *control);
/* Fill the parts of *@out in @want (VPERFCTR_READ_*) completely, and no others. */
int vperfctr_read(struct vperfctr *v, u32 want, struct vperfctr_read *out);
/* Read the caller's own sums directly into user memory, if no slot can be read in user mode.
 * -EFAULT: not possible now; call vperfctr_read(). */
int vperfctr_read_own(struct vperfctr *v, struct vperfctr_sum_ctrs __user *to);
int vperfctr_unlink(struct vperfctr *v);
int vperfctr_iresume(struct vperfctr *v);
/* The parts of the owner's deferred work (task_work). */
void vperfctr_apply_pending(struct vperfctr *v);
void vperfctr_handle_resume(struct vperfctr *v);
void vperfctr_handle_exec(struct vperfctr *v);
void vperfctr_handle_forbidden(struct vperfctr *v);
/* End the object's counting; @dead: its owner exits, otherwise it is only detached. Idempotent. */
void vperfctr_end(struct vperfctr *v, bool dead);
/* Finish the detachment of the caller's objects that tracers have unlinked, to make room for a
 * new object. */
void vperfctr_end_unlinked(void);

#endif
