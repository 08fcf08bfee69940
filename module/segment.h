/* SPDX-License-Identifier: GPL-2.0 */
/*
 * segment.h -- user code whose addresses do not count from 0.
 */
#ifndef OPROFILE_SEGMENT_H
#define OPROFILE_SEGMENT_H

struct pt_regs;

/* Where in its memory the current task is: @regs are of user mode. Hard interrupt or NMI
 * context. */
unsigned long oprofile_user_pc(struct pt_regs *regs);

#endif
