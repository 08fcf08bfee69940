/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/tasks.h -- handling of forks, execs and exits of threads with objects.
 */
#ifndef VPERFCTR_TASKS_H
#define VPERFCTR_TASKS_H

struct task_struct;
struct vperfctr;

/* Make an object of the caller's user for @task, which is the caller or stopped by the caller.
 * Return it with one reference, or an ERR_PTR. */
struct vperfctr *vperfctr_new(struct task_struct *task);
/* Attach the object to @task as the last step, after which all calls find it. Return 0; -EEXIST:
 * @task has an object; -EAGAIN; -ESRCH: @task is exiting. */
int vperfctr_install(struct vperfctr *v, struct task_struct *task);

int vperfctr_tasks_init(void);
void vperfctr_tasks_exit(void);

#endif
