/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/rights.h -- rights to what a thread counts, of callers who are not the thread.
 */
#ifndef VPERFCTR_RIGHTS_H
#define VPERFCTR_RIGHTS_H

struct cred;
struct task_struct;
struct vperfctr;
struct vperfctr_control;

/*
 * A tracer may count what its tracee might not. Then the only file may be one that somebody with such rights opened, as
 * everybody who has one reads what is counted: a tracer may have got its file from the tracee, who has it still. Files to
 * come are refused by vperfctr_may_see(). The owner, who could make one, is stopped.
 */
int vperfctr_check_others(struct vperfctr *v, struct task_struct *owner, const struct cred *opener,
			  const struct vperfctr_control *control);

/*
 * May the caller have a file of what it did not make? EACCES: it could not ask for these settings itself. A thread that
 * has lost rights would else go on reading what it was allowed to count before.
 */
int vperfctr_may_see(struct vperfctr *v);

#endif
