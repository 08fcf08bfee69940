/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/tasks.h -- handling of forks, execs and exits of threads with objects.
 */
#ifndef VPERFCTR_TASKS_H
#define VPERFCTR_TASKS_H

struct task_struct;
struct vperfctr;

/* Create an object for @task, which is the caller or stopped by the caller. Charge it to the
 * caller's user. Return it with one reference, or an ERR_PTR. */
struct vperfctr *vperfctr_new(struct task_struct *task);
/*
 * Attach the object to @task. Must be the last step of opening an object, because all calls find
 * the object from now on. Return 0; -EEXIST: @task has an object; -EAGAIN: too many unlinked
 * objects; -ESRCH: @task is exiting.
 */
int vperfctr_install(struct vperfctr *v, struct task_struct *task);

int vperfctr_tasks_init(void);
void vperfctr_tasks_exit(void);

#endif
