/* SPDX-License-Identifier: GPL-2.0 */
/*
 * segment.h -- addresses of user code in segments whose base is not 0.
 */
#ifndef OPROFILE_SEGMENT_H
#define OPROFILE_SEGMENT_H

#include <linux/ptrace.h>
#ifdef CONFIG_X86
#include <asm/segment.h>
#endif

/* Return the linear address of the current task's next instruction, which is in a segment of its
 * local descriptor table. @regs: user registers. Hard interrupt or NMI context. */
unsigned long oprofile_segment_pc(struct pt_regs *regs);

/* Return the linear address of the current task's next instruction. @regs: user registers. Hard
 * interrupt or NMI context. */
static inline unsigned long oprofile_user_pc(struct pt_regs *regs)
{
#ifdef CONFIG_X86
	if (unlikely((regs->cs & SEGMENT_TI_MASK) == SEGMENT_LDT))
		return oprofile_segment_pc(regs);
#endif
	return instruction_pointer(regs);
}

#endif
