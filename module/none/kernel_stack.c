// SPDX-License-Identifier: GPL-2.0
/*
 * none/kernel_stack.c -- walks the kernel's stack by frame records (saved frame pointer and return
 * address). Without frame records, only the innermost frame is found.
 */
#include "paths/kernel_stack.h"

#include <linux/ptrace.h>
#include <linux/uaccess.h>

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
void oprofile_walk_kernel(struct oprofile_kernel_stack *stack, struct pt_regs *regs, u32 depth)
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
#else
void oprofile_walk_kernel(struct oprofile_kernel_stack *stack, struct pt_regs *regs, u32 depth)
{
	stack->code[0] = instruction_pointer(regs);
	stack->nr = 1;
	stack->user = NULL;
	stack->end = OPROFILE_UW_NO_ROW;
}
#endif
