// SPDX-License-Identifier: GPL-2.0
/* offcpu/wait.c -- the reason of a thread's wait. */
#include "offcpu/wait.h"

#include <asm/syscall.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/sched/task_stack.h>

#include "offcpu/reason.h"
#include "offcpu/tasks.h"

/*
 * Return the reason of a wait for the file whose descriptor is the first argument of the task's
 * system call. Interrupts are off, so neither the file nor its inode is freed during this call,
 * even if another thread closes the descriptor.
 */
static unsigned int reason_of_file(struct task_struct *task, struct pt_regs *regs)
{
	const struct files_struct *files = task->files;
	const struct fdtable *table;
	const struct inode *inode;
	unsigned long args[6];
	struct file *file;

	syscall_get_arguments(task, regs, args);
	table = files ? rcu_dereference_raw(files->fdt) : NULL;
	if (!table || args[0] >= table->max_fds)
		return OPROFILE_OFFCPU_OTHER;
	file = rcu_dereference_raw(table->fd[array_index_nospec(args[0], table->max_fds)]);
	inode = file ? READ_ONCE(file->f_inode) : NULL;
	return inode ? oprofile_offcpu_reason_of_mode(READ_ONCE(inode->i_mode)) :
		       OPROFILE_OFFCPU_OTHER;
}

static bool is_compat_call(struct task_struct *task)
{
#ifdef CONFIG_COMPAT
	return !(syscall_get_arch(task) & __AUDIT_ARCH_64BIT);
#else
	return false;
#endif
}

/* Return the reason of a wait in the native system call @nr, or OPROFILE_OFFCPU_AS_BEFORE. */
static unsigned int reason_of_call(struct task_struct *task, struct pt_regs *regs, int nr)
{
	unsigned int reason = oprofile_offcpu_reason_of_call(nr);
	unsigned long args[6];

	if (reason == OPROFILE_OFFCPU_BY_FILE)
		return reason_of_file(task, regs);
	if (reason != OPROFILE_OFFCPU_BY_FUTEX)
		return reason;
	syscall_get_arguments(task, regs, args);
	return oprofile_offcpu_reason_of_futex(args[1], args[2]);
}

/* Return the reason of a wait of a thread of the kernel. A thread of the kernel waits for work in a
 * state that signals could end, or in TASK_IDLE. */
static unsigned int reason_of_kernel(const struct task_struct *task, unsigned int state)
{
	if (task->in_iowait)
		return OPROFILE_OFFCPU_IO;
	return state & (TASK_INTERRUPTIBLE | TASK_NOLOAD) ? OPROFILE_OFFCPU_SLEEP :
							    OPROFILE_OFFCPU_OTHER;
}

/* Return the reason of a wait of a thread of a program, which is not stopped. */
static unsigned int reason_of_program(const struct oprofile_offcpu_thread *t,
				      struct task_struct *task)
{
	struct pt_regs *regs = task_pt_regs(task);
	int nr = syscall_get_nr(task, regs);
	unsigned int reason;

	/* A thread outside a system call waits for a page fault, or ends after a signal, and may
	 * write its core dump. */
	if (nr < 0)
		return task->flags & (PF_EXITING | PF_DUMPCORE) ? OPROFILE_OFFCPU_OTHER :
								  OPROFILE_OFFCPU_FAULT;
	if (task->in_iowait)
		return OPROFILE_OFFCPU_IO;
	if (is_compat_call(task))
		return OPROFILE_OFFCPU_OTHER;	/* the table has the native numbers only */
	reason = reason_of_call(task, regs, nr);
	if (reason != OPROFILE_OFFCPU_AS_BEFORE)
		return reason;
	return t->call_reason ? t->call_reason : OPROFILE_OFFCPU_OTHER;
}

unsigned int oprofile_offcpu_reason(struct oprofile_offcpu_thread *t,
				    struct task_struct *task)
{
	unsigned int state = t->state & ~OPROFILE_OFFCPU_FREEZES;

	if (t->reason != OPROFILE_OFFCPU_UNKNOWN)
		return t->reason;
	if (!state)
		t->reason = OPROFILE_OFFCPU_RUNQUEUE;
	else if (state & (__TASK_STOPPED | __TASK_TRACED | TASK_FROZEN) || state != t->state)
		t->reason = OPROFILE_OFFCPU_STOPPED;
	else if (oprofile_offcpu_has_program(task))
		t->reason = reason_of_program(t, task);
	else
		t->reason = reason_of_kernel(task, state);
	return t->reason;
}

void oprofile_offcpu_note_call(struct oprofile_offcpu_thread *t, struct task_struct *task)
{
	unsigned int reason;
	struct pt_regs *regs;
	int nr;

	if (!oprofile_offcpu_has_program(task))
		return;
	regs = task_pt_regs(task);
	nr = syscall_get_nr(task, regs);
	if (nr < 0 || is_compat_call(task))
		return;
	reason = reason_of_call(task, regs, nr);
	if (reason != OPROFILE_OFFCPU_AS_BEFORE)
		t->call_reason = reason;
}
