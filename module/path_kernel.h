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
	unsigned long code[OPROFILE_KERNEL_FRAMES];	/* innermost first: where it is, of others where the call is */
	u32 nr;
	u32 end;			/* enum oprofile_uw_end: WHOLE at an entry, or where a thread begins */
	struct pt_regs *user;		/* registers of user mode that it led to, or NULL: all of them are there */
};

/* @regs are of kernel mode, on this CPU, of the interrupt or NMI that this is. */
void oprofile_walk_kernel(struct oprofile_kernel_stack *stack, struct pt_regs *regs, u32 depth);

#endif
