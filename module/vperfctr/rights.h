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
 * Check a tracer's settings that the tracee itself may not request. Every process with a file of
 * the object can read the counts, and the tracee may have a file, too: for example, the tracer may
 * have received its file from the tracee. So allow such settings only if the object has a single
 * file, whose opener had these rights. vperfctr_may_see() refuses later files. The stopped owner
 * cannot open a file now.
 */
int vperfctr_check_others(struct vperfctr *v, struct task_struct *owner, const struct cred *opener,
			  const struct vperfctr_control *control);

/*
 * Check whether the caller may get a file of an existing object. Return -EACCES if the caller
 * itself may not request the object's settings: otherwise a thread that has lost rights could still
 * read counts that need them.
 */
int vperfctr_may_see(struct vperfctr *v);

#endif
