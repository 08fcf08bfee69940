/* SPDX-License-Identifier: GPL-2.0 */
/* vperfctr/rights.h -- checks of calls that a process makes on the object of another thread: the
 * thread must be stopped, and the caller must have the right to read the thread's counts. */
#ifndef VPERFCTR_RIGHTS_H
#define VPERFCTR_RIGHTS_H

struct cred;
struct task_struct;
struct vperfctr;
struct vperfctr_control;

/*
 * Return 0 if @task is stopped by the caller's ptrace, otherwise -ESRCH. SIGKILL may wake the task
 * at any time; then it exits without returning to user mode.
 */
int vperfctr_check_stopped(struct task_struct *task);

/*
 * Check settings of a tracer that the tracee itself may not request. Every process with a file
 * descriptor of the object can read the counts, and the tracee may have a descriptor, too: for
 * example, the tracer may have received its own descriptor from the tracee. So allow such settings
 * only if the object has a single file, whose opener may request the settings. vperfctr_may_see()
 * refuses to open further files later. The owner is stopped, so it cannot open a file now.
 */
int vperfctr_check_others(struct vperfctr *v, struct task_struct *owner, const struct cred *opener,
			  const struct vperfctr_control *control);

/*
 * Check whether the caller may get a file of an existing object. Return 0, or -EACCES if the caller
 * itself may not request the object's settings: otherwise a thread that has lost a right could
 * still read counts that need this right.
 */
int vperfctr_may_see(struct vperfctr *v);

#endif
