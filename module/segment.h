/* SPDX-License-Identifier: GPL-2.0 */
/*
 * segment.h -- addresses of user code in segments whose base is not 0.
 */
#ifndef OPROFILE_SEGMENT_H
#define OPROFILE_SEGMENT_H

struct pt_regs;

/* Return the linear address of the current task's next instruction. @regs are user registers. Hard
 * interrupt or NMI context. */
unsigned long oprofile_user_pc(struct pt_regs *regs);

#endif
