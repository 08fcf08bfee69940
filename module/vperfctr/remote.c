// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/remote.c -- checks for calls on another thread's object.
 */
#include "vperfctr/remote.h"

#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

/* Maximum number of checks whether the tracee has left its CPU: ptrace reports a tracee as
 * stopped shortly before it leaves its CPU. */
#define TRIES	100000

static bool is_ours(struct task_struct *task)
{
	bool ours;

	rcu_read_lock();
	ours = ptrace_parent(task) == current;
	rcu_read_unlock();
	return ours && task_is_traced(task) && !(READ_ONCE(task->jobctl) & JOBCTL_LISTENING);
}

static bool on_cpu(struct task_struct *task)
{
#ifdef CONFIG_SMP
	return smp_load_acquire(&task->on_cpu);
#else
	return false;
#endif
}

int vperfctr_check_stopped(struct task_struct *task)
{
	int tries = TRIES;

	while (is_ours(task)) {
		if (!on_cpu(task))
			return is_ours(task) ? 0 : -ESRCH;
		if (!tries--)
			break;
		cond_resched();
		cpu_relax();
	}
	return -ESRCH;
}
