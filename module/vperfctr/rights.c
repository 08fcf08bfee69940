// SPDX-License-Identifier: GPL-2.0
/* vperfctr/rights.c -- checks of calls that a process makes on the object of another thread. */
#include "vperfctr/rights.h"

#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "vperfctr/allowed.h"
#include "vperfctr/object.h"

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

static int check_as(const struct cred *who, const struct vperfctr_control *control)
{
	const struct cred *own = override_creds(who);
	int err = vperfctr_check_control(control);

	revert_creds(own);
	return err;
}

int vperfctr_check_others(struct vperfctr *v, struct task_struct *owner, const struct cred *opener,
			  const struct vperfctr_control *control)
{
	const struct cred *owners;
	int err;

	if (owner == current)
		return 0;
	if (atomic_read(&v->files) <= 1)
		return check_as(opener, control);
	owners = get_task_cred(owner);
	err = check_as(owners, control);
	put_cred(owners);
	return err;
}

int vperfctr_may_see(struct vperfctr *v)
{
	int err;

	if (mutex_lock_killable(&v->lock))
		return -EINTR;
	err = vperfctr_check_control(&v->control);
	if (!err && v->pending)
		err = vperfctr_check_control(&v->pending->control);
	mutex_unlock(&v->lock);
	return err;
}
