/* SPDX-License-Identifier: GPL-2.0 */
/*
 * period.h -- common parts of counter backends: the period until the next overflow, and the cost of
 * an overflow interrupt.
 */
#ifndef OPROFILE_PERIOD_H
#define OPROFILE_PERIOD_H

#include <linux/types.h>

struct oprofile_sampling;

/*
 * Begin and end an overflow interrupt, in hard interrupt or NMI context. Between the two calls, a
 * counter backend calls oprofile_add_sample() and oprofile_next_period() for each counter that
 * overflowed. oprofile_interrupt_end() accounts the time since @begin, the result of
 * oprofile_interrupt_begin(), and calls the governor.
 */
u64 oprofile_interrupt_begin(struct oprofile_sampling *s);
void oprofile_interrupt_end(struct oprofile_sampling *s, u64 begin);

/*
 * Return the number of events until the next sample of @event on the current CPU: the event's
 * count, multiplied by the governor's factor, with `jitter` random low bits that do not change the
 * mean. May be called in any context.
 */
u64 oprofile_next_period(struct oprofile_sampling *s, unsigned int event);

#endif
