/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu/wait.h -- the reason of a thread's wait.
 *
 * Most waits have no sample, so a switch only notes the state of the thread that leaves its CPU. If
 * a sample is due, the reason follows from this state and from the registers of the system call,
 * which do not change while the thread waits.
 */
#ifndef OPROFILE_OFFCPU_WAIT_H
#define OPROFILE_OFFCPU_WAIT_H

#include <linux/build_bug.h>
#include <linux/sched.h>
#include <linux/sched/jobctl.h>

#include "compat/compat.h"
#include "offcpu/threads.h"
#include "uapi/offcpu.h"

/* The reason has not been determined. */
#define OPROFILE_OFFCPU_UNKNOWN	0
/* In .state of an entry: the freezer of a cgroup stops the thread, whose state is then the one of a
 * sleep. */
#define OPROFILE_OFFCPU_FREEZES	JOBCTL_TRAP_FREEZE

static_assert(OPROFILE_OFFCPU_FREEZES >= TASK_STATE_MAX);

/* Note in @t, the entry of @task, that the task leaves its CPU. @state is its state, 0 if it can
 * run. */
static inline void oprofile_offcpu_wait_begins(struct oprofile_offcpu_thread *t,
					       const struct task_struct *task, unsigned int state)
{
	t->state = state | (task->jobctl & JOBCTL_TRAP_FREEZE);
	t->reason = OPROFILE_OFFCPU_UNKNOWN;
}

/* Return the reason of the wait of @task (enum oprofile_offcpu_reason), and store it in its entry
 * @t. Called with interrupts off, while the task cannot run: it gets the CPU in this switch, or its
 * entry is locked. */
unsigned int oprofile_offcpu_reason(struct oprofile_offcpu_thread *t,
				    struct task_struct *task);

/* Note in @t, the entry of @task, the reason of a wait in the system call of @task, if it is in
 * one. Called as oprofile_offcpu_reason(). */
void oprofile_offcpu_note_call(struct oprofile_offcpu_thread *t, struct task_struct *task);

#endif
