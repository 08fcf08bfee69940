// SPDX-License-Identifier: GPL-2.0
/*
 * none/segment.c -- addresses of an architecture without code segments.
 */
#include "segment.h"

#include <linux/ptrace.h>

unsigned long oprofile_user_pc(struct pt_regs *regs)
{
	return instruction_pointer(regs);
}
