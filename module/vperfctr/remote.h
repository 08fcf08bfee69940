/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/remote.h -- calls for another thread.
 */
#ifndef VPERFCTR_REMOTE_H
#define VPERFCTR_REMOTE_H

struct task_struct;

/*
 * Is @task stopped, and by the caller's ptrace? 0 or ESRCH. It may be woken by SIGKILL any time: then it does not come
 * back to user mode, and ends itself.
 */
int vperfctr_check_stopped(struct task_struct *task);

#endif
