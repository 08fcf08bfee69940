/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/kernel_stack.h -- walking the kernel's stack from the interrupted code to the kernel's
 * entry.
 */
#ifndef OPROFILE_PATHS_KERNEL_STACK_H
#define OPROFILE_PATHS_KERNEL_STACK_H

#include <linux/types.h>

#define OPROFILE_KERNEL_FRAMES	64

struct pt_regs;
struct task_struct;

struct oprofile_kernel_stack {
	/* program counters, innermost first: the sampled address, then the addresses of calls */
	unsigned long code[OPROFILE_KERNEL_FRAMES];
	u32 nr;
	/* reason for the end of the walk, enum oprofile_uw_end; WHOLE: the walk reached the
	 * kernel's entry, or the start of a thread */
	u32 end;
	/* user registers at the kernel's entry; NULL: the walk did not reach the entry */
	struct pt_regs *user;
};

/* A frame of the kernel's stack. */
struct oprofile_kernel_frame {
	unsigned long pc, sp, fp;
};

/* Return the frame in which @task left its CPU. Called before a CPU switches to @task. */
struct oprofile_kernel_frame oprofile_kernel_frame_of(const struct task_struct *task);
/*
 * Set @regs to the innermost frame of @task from @frame outwards that is outside the code from
 * @start to @end, or to @frame if no frame is outside. The pc is then in the call instruction.
 * @task is the current task, or a task that does not run.
 */
void oprofile_kernel_caller(struct task_struct *task, struct pt_regs *regs,
			    const struct oprofile_kernel_frame *frame, unsigned long start,
			    unsigned long end);

/*
 * Return the address of the innermost call on the current stack that led into the code from @start
 * to @end, or 0 if it is not found. The current stack must have frames of this code.
 */
unsigned long oprofile_kernel_caller_into(unsigned long start, unsigned long end);

/* Walk the kernel's stack of @task from @regs: the kernel registers of the current interrupt or
 * NMI, if @task is the current task; otherwise those of a frame of @task, which does not run. Find
 * at most @depth frames. */
void oprofile_walk_kernel(struct oprofile_kernel_stack *stack, struct task_struct *task,
			  struct pt_regs *regs, u32 depth);

#endif
