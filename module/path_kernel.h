/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_kernel.h -- the kernel's own stack, from what an interrupt hit up to where the kernel was entered.
 */
#ifndef OPROFILE_PATH_KERNEL_H
#define OPROFILE_PATH_KERNEL_H

#include <linux/types.h>

#define OPROFILE_KERNEL_FRAMES	64

struct pt_regs;

struct oprofile_kernel_stack {
	/* innermost first: the sampled address, then the addresses of calls */
	unsigned long code[OPROFILE_KERNEL_FRAMES];
	u32 nr;
	u32 end;			/* enum oprofile_uw_end: WHOLE at an entry, or where a thread begins */
	/* all registers of user mode that it led to; NULL: it led to none */
	struct pt_regs *user;
};

/* @regs are those of kernel mode that the current interrupt or NMI has interrupted, on this CPU. */
void oprofile_walk_kernel(struct oprofile_kernel_stack *stack, struct pt_regs *regs, u32 depth);

#endif
