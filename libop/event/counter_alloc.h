/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_alloc.h -- allocation of counters to events.
 *
 * A counter is a bit of a 64-bit mask: general counters from bit 0, fixed counters from bit 32.
 */
#ifndef OP_COUNTER_ALLOC_H
#define OP_COUNTER_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#define OP_MAX_COUNTERS		64
#define OP_FIXED_COUNTER(n)	(32 + (n))

/* A set of events that cannot be counted at the same time, because fewer counters than events
 * can count them. */
struct op_counter_clash {
	/* indexes of the events that compete, in ascending order */
	size_t events[OP_MAX_COUNTERS + 1];
	size_t nr_events;
	/* mask of all counters that can count one of these events */
	uint64_t counters;
};

/*
 * Set counters[i] to a counter for each event i. allowed[i]: mask of the counters that event i can
 * use; @available: mask of the existing counters. Return 0; or -EBUSY if no assignment exists, with
 * *@clash set to events for which exactly one counter is missing. Fixed counters are preferred,
 * then counters with low numbers.
 */
int op_counter_alloc(int *counters, const uint64_t *allowed, size_t nr, uint64_t available,
		     struct op_counter_clash *clash);

#endif
