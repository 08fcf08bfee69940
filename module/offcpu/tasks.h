/* SPDX-License-Identifier: GPL-2.0 */
/* offcpu/tasks.h -- the clock of waits, and the tasks that have code of a program to return to. */
#ifndef OPROFILE_OFFCPU_TASKS_H
#define OPROFILE_OFFCPU_TASKS_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>

#include "compat/compat.h"

/* Return the time in ns, as an even number. */
static inline u64 oprofile_offcpu_now(void)
{
	return ktime_get_mono_fast_ns() & ~1ULL;
}

/* Return whether the thread has user code to return to. */
static inline bool oprofile_offcpu_has_program(const struct task_struct *task)
{
	return task->mm && !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
}

/* Return whether the thread, which is in the kernel, has a place in its program to which it
 * returns. During exec, the registers are those of the old program, while the memory may already be
 * that of the new one. */
static inline bool oprofile_offcpu_has_place(struct task_struct *task)
{
	return oprofile_offcpu_has_program(task) && user_mode(task_pt_regs(task)) &&
	       !task->in_execve;
}

#endif
