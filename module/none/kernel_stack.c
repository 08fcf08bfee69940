// SPDX-License-Identifier: GPL-2.0
/*
 * none/kernel_stack.c -- walks the kernel's stack by frame records (saved frame pointer and return
 * address). Without frame records, only the innermost frame is found.
 */
#include "paths/kernel_stack.h"

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "uapi/unwind.h"

#ifdef CONFIG_ARM64
/* Remove the pointer authentication code from a return address: set its upper bits, which are
 * set in all kernel addresses. */
static unsigned long strip(unsigned long pc)
{
	return pc | GENMASK_ULL(63, 48);
}

/*
 * Walk the kernel's frame records. A record of zeros, at the entry from user mode or at a thread's
 * start, ends the walk. Each record must be at a higher address than the one before, except that
 * the walk may leave each kind of stack (task, interrupt, ...) once. The walk reads only addresses
 * that cannot fault.
 */
void oprofile_walk_kernel(struct oprofile_kernel_stack *stack, struct task_struct *task,
			  struct pt_regs *regs, u32 depth)
{
	u32 max = min_t(u32, depth, OPROFILE_KERNEL_FRAMES);
	unsigned long fp = regs->regs[29], record[2];

	stack->code[0] = regs->pc;
	stack->nr = 1;
	stack->user = NULL;
	stack->end = OPROFILE_UW_WHOLE;
	while (fp) {
		if (stack->nr == max) {
			stack->end = OPROFILE_UW_DEPTH;
			return;
		}
		if ((long)fp >= 0 || fp & 7) {
			stack->end = OPROFILE_UW_BACKWARDS;
			return;
		}
		if (copy_from_kernel_nofault(record, (void *)fp, sizeof(record))) {
			stack->end = OPROFILE_UW_STACK;
			return;
		}
		if (!record[0] && !record[1])
			return;
		stack->code[stack->nr++] = strip(record[1]) - 1;
		fp = record[0];
	}
}

/* Set *@frame to the frame of its caller. Return false if the frame has no valid record. */
static bool step(struct oprofile_kernel_frame *frame)
{
	unsigned long record[2];

	if ((long)frame->fp >= 0 || frame->fp & 7 ||
	    copy_from_kernel_nofault(record, (void *)frame->fp, sizeof(record)) || !record[1])
		return false;
	frame->sp = frame->fp + sizeof(record);
	frame->fp = record[0];
	frame->pc = strip(record[1]);
	return true;
}

struct oprofile_kernel_frame oprofile_kernel_frame_of(const struct task_struct *task)
{
	struct oprofile_kernel_frame frame = {
		.pc = task->thread.cpu_context.pc,
		.sp = task->thread.cpu_context.sp,
		.fp = task->thread.cpu_context.fp,
	};

	/* Return the caller's frame: the function that switches returns before the frame is
	 * used. */
	step(&frame);
	return frame;
}

void oprofile_kernel_caller(struct task_struct *task, struct pt_regs *regs,
			    const struct oprofile_kernel_frame *frame, unsigned long start,
			    unsigned long end)
{
	struct oprofile_kernel_frame at = *frame;

	while (at.pc - 1 >= start && at.pc - 1 < end) {
		if (!step(&at)) {
			at = *frame;
			break;
		}
	}
	oprofile_kernel_regs(regs, at.pc - 1);
	regs->sp = at.sp;
	regs->regs[29] = at.fp;
}

unsigned long oprofile_kernel_caller_into(unsigned long start, unsigned long end)
{
	struct oprofile_kernel_frame at = { .fp = (unsigned long)__builtin_frame_address(0) };
	bool seen = false;

	while (step(&at)) {
		bool inside = at.pc - 1 >= start && at.pc - 1 < end;

		if (seen && !inside)
			return at.pc - 1;
		seen |= inside;
	}
	return 0;
}
#else
struct oprofile_kernel_frame oprofile_kernel_frame_of(const struct task_struct *task)
{
	return (struct oprofile_kernel_frame){ .pc = (unsigned long)schedule };
}

void oprofile_kernel_caller(struct task_struct *task, struct pt_regs *regs,
			    const struct oprofile_kernel_frame *frame, unsigned long start,
			    unsigned long end)
{
	oprofile_kernel_regs(regs, frame->pc);
}

unsigned long oprofile_kernel_caller_into(unsigned long start, unsigned long end)
{
	return 0;
}

void oprofile_walk_kernel(struct oprofile_kernel_stack *stack, struct task_struct *task,
			  struct pt_regs *regs, u32 depth)
{
	stack->code[0] = instruction_pointer(regs);
	stack->nr = 1;
	stack->user = NULL;
	stack->end = OPROFILE_UW_NO_ROW;
}
#endif
