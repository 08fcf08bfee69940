/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_alloc.h -- gives every event a counter of its own.
 *
 * A counter is a bit of a 64-bit mask: general counters from bit 0, fixed ones from bit 32.
 */
#ifndef OP_COUNTER_ALLOC_H
#define OP_COUNTER_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#define OP_MAX_COUNTERS		64
#define OP_FIXED_COUNTER(n)	(32 + (n))

/* Events that cannot all be counted at once: more of them than counters that any of them can use. */
struct op_counter_clash {
	size_t events[OP_MAX_COUNTERS + 1];	/* indices, ascending */
	size_t nr_events;
	uint64_t counters;			/* all that they could use */
};

/*
 * allowed[i] says which counters event i can use, @available which there are. Fills counters[i] and
 * returns 0 whenever an assignment exists. Otherwise -EBUSY and *@clash: a smallest-possible reason
 * in the sense that its events have exactly one counter too few. An event that can use a fixed counter
 * gets that; otherwise lower counters are preferred.
 */
int op_counter_alloc(int *counters, const uint64_t *allowed, size_t nr, uint64_t available,
		     struct op_counter_clash *clash);

#endif
