// SPDX-License-Identifier: GPL-2.0
/*
 * none/segment.c -- code addresses on architectures without segments are used unchanged.
 */
#include "segment.h"

#include <linux/ptrace.h>

unsigned long oprofile_user_pc(struct pt_regs *regs)
{
	return instruction_pointer(regs);
}
