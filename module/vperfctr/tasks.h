/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/tasks.h -- threads are copied, run another program, end: what that means to their counters.
 */
#ifndef VPERFCTR_TASKS_H
#define VPERFCTR_TASKS_H

struct task_struct;
struct vperfctr;

/* A new object of the caller's user, attached to @task, which is the caller or stopped by it; one reference. ERR_PTR. */
struct vperfctr *vperfctr_new(struct task_struct *task);

int vperfctr_tasks_init(void);
void vperfctr_tasks_exit(void);

#endif
