/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/rights.h -- checks the rights of other callers to a thread's counts.
 */
#ifndef VPERFCTR_RIGHTS_H
#define VPERFCTR_RIGHTS_H

struct cred;
struct task_struct;
struct vperfctr;
struct vperfctr_control;

/*
 * Check a tracer's settings that the tracee itself is not permitted to request. Every process with
 * a file of the object can read the counts, and a tracer may have received its file from the
 * tracee, which still has it. So such settings are allowed only if the object's single file was
 * opened by a caller with these rights. vperfctr_may_see() refuses later files. The owner is
 * stopped, so it cannot open one now.
 */
int vperfctr_check_others(struct vperfctr *v, struct task_struct *owner, const struct cred *opener,
			  const struct vperfctr_control *control);

/*
 * Check whether the caller may have a file of an existing object. Return -EACCES if the caller
 * could not ask for the object's settings itself: otherwise a thread that has lost rights could
 * still read the counts that it was allowed to take before.
 */
int vperfctr_may_see(struct vperfctr *v);

#endif
