/* SPDX-License-Identifier: GPL-2.0 */
/*
 * handler.h -- the functions that backends call for each sample.
 */
#ifndef OPROFILE_HANDLER_H
#define OPROFILE_HANDLER_H

#include <linux/types.h>

struct oprofile_data;
struct oprofile_sampling;
struct pt_regs;

/*
 * Add a sample of the current task at @regs with the count @n. Called in hard interrupt or NMI
 * context on this CPU. The sample is counted as received, and is either stored or counted as lost.
 */
void oprofile_add_sample(struct oprofile_sampling *s, struct pt_regs *regs, u32 event, u64 n);

/*
 * Add a sample at @pc with data that the hardware recorded. The sample's record in the stream
 * consists of the code of @data (OPROFILE_IBS_FETCH, _OP), the resolved @pc, and the words of
 * @data. @pc is an address of the current task if @user is true, otherwise an address of the
 * kernel. @regs are the registers of the interrupt; if they show that a virtual machine was
 * running, @pc is not resolved. setup() must have set s->wants_entries. Called in the same contexts
 * as oprofile_add_sample(), and accounted in the same way.
 */
void oprofile_add_entry(struct oprofile_sampling *s, struct pt_regs *regs, unsigned long pc,
			bool user, const struct oprofile_data *data);

#endif
