// SPDX-License-Identifier: GPL-2.0
/*
 * x86/kernel_stack.c -- walking the kernel's stack by the kernel's ORC tables, through interrupts,
 * softirqs and exceptions.
 */
#include "paths/kernel_stack.h"

#include <linux/sched.h>
#include <asm/switch_to.h>
#include <asm/unwind.h>

#include "compat/compat.h"
#include "uapi/unwind.h"

void oprofile_walk_kernel(struct oprofile_kernel_stack *stack, struct task_struct *task,
			  struct pt_regs *regs, u32 depth)
{
	u32 max = min_t(u32, depth, OPROFILE_KERNEL_FRAMES);
	struct unwind_state state;
	unsigned long pc;

	stack->code[0] = regs->ip;
	stack->nr = 1;
	stack->user = NULL;
	stack->end = OPROFILE_UW_WHOLE;
#ifdef CONFIG_UNWINDER_ORC
	/* unwind_start() has already stepped past the frame of @regs, so the loop begins with
	 * the caller. */
	for (unwind_start(&state, task, regs, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		/* Stop at user-mode registers, because the frames beyond them belong to the
		 * program. */
		if (state.regs && user_mode(state.regs)) {
			stack->user = state.full_regs ? state.regs : NULL;
			return;
		}
		pc = unwind_get_return_address(&state);
		if (!pc)
			break;
		if (stack->nr == max) {
			stack->end = OPROFILE_UW_DEPTH;
			return;
		}
		stack->code[stack->nr++] = pc - !state.signal;
	}
	if (unwind_error(&state) || !unwind_done(&state))
		stack->end = OPROFILE_UW_NO_ROW;
#else
	stack->end = OPROFILE_UW_NO_ROW;
#endif
}

struct oprofile_kernel_frame oprofile_kernel_frame_of(const struct task_struct *task)
{
	const struct inactive_task_frame *saved = (const void *)task->thread.sp;

	return (struct oprofile_kernel_frame){
		.pc = READ_ONCE_NOCHECK(saved->ret_addr),
		.sp = task->thread.sp + sizeof(*saved),
		.fp = READ_ONCE_NOCHECK(saved->bp),
	};
}

void oprofile_kernel_caller(struct task_struct *task, struct pt_regs *regs,
			    const struct oprofile_kernel_frame *frame, unsigned long start,
			    unsigned long end)
{
#ifdef CONFIG_UNWINDER_ORC
	struct unwind_state state;
	unsigned long pc;
#endif

	oprofile_kernel_regs(regs, frame->pc - 1);
	regs->sp = frame->sp;
	regs->bp = frame->fp;
#ifdef CONFIG_UNWINDER_ORC
	if (regs->ip < start || regs->ip >= end)
		return;
	for (unwind_start(&state, task, regs, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		if (state.regs && user_mode(state.regs))
			return;
		pc = unwind_get_return_address(&state);
		if (!pc)
			return;
		if (pc - 1 >= start && pc - 1 < end)
			continue;
		regs->ip = pc - 1;
		regs->sp = state.sp;
		regs->bp = state.bp;
		return;
	}
#endif
}

unsigned long oprofile_kernel_caller_into(unsigned long start, unsigned long end)
{
#ifdef CONFIG_UNWINDER_ORC
	struct unwind_state state;
	bool seen = false;

	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		unsigned long pc = unwind_get_return_address(&state);
		bool inside = pc - 1 >= start && pc - 1 < end;

		if (!pc)
			break;
		if (seen && !inside)
			return pc - 1;
		seen |= inside;
	}
#endif
	return 0;
}
