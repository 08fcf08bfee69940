/* SPDX-License-Identifier: GPL-2.0 */
/*
 * handler.h -- the functions that backends call for each sample.
 */
#ifndef OPROFILE_HANDLER_H
#define OPROFILE_HANDLER_H

#include <linux/types.h>

struct oprofile_data;
struct oprofile_hit;
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

/* The task or the interrupt that ends a wait. */
enum oprofile_waker_kind {
	OPROFILE_WAKER_USER,	/* the current task, at a place in its program */
	OPROFILE_WAKER_KERNEL,	/* the current task, at a place in the kernel */
	OPROFILE_WAKER_IRQ,	/* an interrupt, whatever task it has interrupted */
};

/*
 * Add a sample of a waker at the address @hit.where. @hit has no data; its .woken is set. @app: the
 * cookie of the task's program if the kernel cannot find it any more, because the task exits;
 * otherwise OPROFILE_NO_COOKIE. The sample has no call path. Called with interrupts off. The sample
 * is counted as received, and is then either stored or counted as lost.
 */
void oprofile_add_waker(struct oprofile_sampling *s, enum oprofile_waker_kind kind,
			const struct oprofile_hit *hit, u64 app);

#endif
