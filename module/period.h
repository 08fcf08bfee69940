/* SPDX-License-Identifier: GPL-2.0 */
/*
 * period.h -- what overflow interrupts have in common: how long to the next one, and what they
 * cost.
 */
#ifndef OPROFILE_PERIOD_H
#define OPROFILE_PERIOD_H

#include <linux/types.h>

struct oprofile_sampling;

/*
 * An overflow interrupt, between begin and end: for each counter that overflowed
 * oprofile_add_sample() and oprofile_next_period(). Accounts the time taken and lets the governor
 * look. Hard interrupt or NMI, this CPU. Counter backends only; cost: two reads of the cycle
 * counter.
 */
u64 oprofile_interrupt_begin(struct oprofile_sampling *s);
void oprofile_interrupt_end(struct oprofile_sampling *s, u64 begin);

/*
 * How many events until the next sample of @event on this CPU: its count, more while the governor
 * holds the CPU back, with `jitter` random low bits, so that the mean is what was asked for. Any
 * context, this CPU.
 */
u64 oprofile_next_period(struct oprofile_sampling *s, unsigned int event);

#endif
