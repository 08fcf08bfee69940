/* SPDX-License-Identifier: GPL-2.0 */
/*
 * handler.h -- what backends call with each hit.
 */
#ifndef OPROFILE_HANDLER_H
#define OPROFILE_HANDLER_H

#include <linux/types.h>

struct oprofile_data;
struct oprofile_sampling;
struct pt_regs;

/*
 * A sample at @regs of the current task, which counts @n. Hard interrupt or NMI context, this CPU. Counts
 * it as received and either stores it or counts its loss.
 */
void oprofile_add_sample(struct oprofile_sampling *s, struct pt_regs *regs, u32 event, u64 n);

/*
 * A sample at @pc with what the hardware recorded about it: in the stream @data's code (OPROFILE_IBS_FETCH,
 * _OP) stands in place of a plain sample, then the place of @pc, then the words of @data, one to a word of
 * the stream. @pc is in the kernel when @user is false, else in the current task's memory; @regs are those
 * of the interrupt, and say whether it was a virtual machine's, whose @pc has no place. Needs
 * s->wants_entries, set by setup(). Context and accounting as above.
 */
void oprofile_add_entry(struct oprofile_sampling *s, struct pt_regs *regs, unsigned long pc, bool user,
			const struct oprofile_data *data);

#endif
