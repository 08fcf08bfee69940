/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/remote.h -- checks for calls on another thread's object.
 */
#ifndef VPERFCTR_REMOTE_H
#define VPERFCTR_REMOTE_H

struct task_struct;

/*
 * Return 0 if @task is stopped by the caller's ptrace, otherwise -ESRCH. SIGKILL may wake the task
 * at any time; then it exits without returning to user mode.
 */
int vperfctr_check_stopped(struct task_struct *task);

#endif
