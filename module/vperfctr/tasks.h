/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/tasks.h -- threads are copied, run another program, end: what that means to their counters.
 */
#ifndef VPERFCTR_TASKS_H
#define VPERFCTR_TASKS_H

struct task_struct;
struct vperfctr;

/* Return a new object of the caller's user for @task, which is the caller or stopped by it; one reference. ERR_PTR. */
struct vperfctr *vperfctr_new(struct task_struct *task);
/* Attach the object to @task: the last step, after which all calls find it. EEXIST: @task has one; EAGAIN; ESRCH: it is ending. */
int vperfctr_give(struct vperfctr *v, struct task_struct *task);

int vperfctr_tasks_init(void);
void vperfctr_tasks_exit(void);

#endif
