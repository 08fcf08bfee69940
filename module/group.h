/* SPDX-License-Identifier: GPL-2.0 */
/* group.h -- id of a task's control group (cgroup). */
#ifndef OPROFILE_GROUP_H
#define OPROFILE_GROUP_H

#include <linux/cgroup-defs.h>
#include <linux/kernfs.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "sampling.h"

/*
 * Return the id of the task's group in the default hierarchy (cgroup v2), or 0 if the setting
 * `cgroups` is off. Call with interrupts off or in an NMI: RCU then keeps the group. The function
 * does not call task_dfl_cgroup(), because the checks of lockdep in it are not for NMIs.
 */
static inline u64 oprofile_group_of(const struct oprofile_sampling *s,
				    const struct task_struct *task)
{
#ifdef CONFIG_CGROUPS
	if (unlikely(s->settings.groups)) {
		const struct css_set *set = rcu_dereference_raw(task->cgroups);

		return READ_ONCE(set->dfl_cgrp)->kn->id;
	}
#endif
	return 0;
}

static inline u64 oprofile_group(const struct oprofile_sampling *s)
{
	return oprofile_group_of(s, current);
}

#endif
