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

/* The functions of the ioctls on an object's file; each checks the caller's rights. @control and
 * @out are in kernel memory. @opener: the credentials with which the file was opened. */
int vperfctr_control(struct vperfctr *v, const struct cred *opener,
		     const struct vperfctr_control *control);
/* Fill the parts of *@out that @want selects (VPERFCTR_READ_*), and do not write other parts. */
int vperfctr_read(struct vperfctr *v, u32 want, struct vperfctr_read *out);
/* Copy the caller's own sums directly to user memory, if no slot can be read in user mode. Return
 * -EFAULT if this is not possible now: then call vperfctr_read(). */
int vperfctr_read_own(struct vperfctr *v, struct vperfctr_sum_ctrs __user *to);
int vperfctr_unlink(struct vperfctr *v);
int vperfctr_iresume(struct vperfctr *v);
/* Functions that the owner runs as task_work. */
void vperfctr_apply_pending(struct vperfctr *v);
void vperfctr_handle_resume(struct vperfctr *v);
void vperfctr_handle_exec(struct vperfctr *v);
void vperfctr_handle_forbidden(struct vperfctr *v);
/* End the counting of an object. @dead: true: the owner is exiting; false: the owner only loses
 * the object. Idempotent. */
void vperfctr_end(struct vperfctr *v, bool dead);
/* Finish the detachment of the caller's objects that a tracer has unlinked, so that a new object
 * can be attached to the caller. */
void vperfctr_end_unlinked(void);

#endif
