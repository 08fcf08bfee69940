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

/* A set of events with fewer usable counters than events, which cannot all be counted at once. */
struct op_counter_clash {
	size_t events[OP_MAX_COUNTERS + 1];	/* indexes of events, in ascending order */
	size_t nr_events;
	/* bit mask of all counters that the events can use */
	uint64_t counters;
};

/*
 * Fill counters[i] for each event i. allowed[i] is the mask of counters that event i can use,
 * @available the mask of existing counters. Return 0 if an assignment exists, else -EBUSY with
 * *@clash: events that have exactly one counter too few. An event that can use a fixed counter gets
 * it; otherwise lower counters are preferred.
 */
int op_counter_alloc(int *counters, const uint64_t *allowed, size_t nr, uint64_t available,
		     struct op_counter_clash *clash);

#endif
