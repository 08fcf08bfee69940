/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unsafe.h -- a table of unsafe code, where stacks are not walked: the probe's code, and code that
 * the user named.
 *
 * The table's ranges are in ascending order of address and do not overlap. Signal handlers read and
 * replace the table without a lock: a table is immutable and never unmapped, and each change
 * publishes another table. Tables with the same ranges are reused, so there are few tables.
 */
#ifndef PROBE_CORE_UNSAFE_H
#define PROBE_CORE_UNSAFE_H

#include <stdint.h>

enum unsafe_why {
	/* code of the probe and of its libraries that replace functions; call paths also omit
	 * frames in this code */
	UNSAFE_OWN,
	UNSAFE_NAMED,		/* code that the user named */
};

struct unsafe_range {
	uint64_t start, end;
	enum unsafe_why why;
};

struct unsafe {
	/* the current table of unsafe code; NULL: no code is unsafe; atomic */
	struct unsafe_ranges *now;
	struct unsafe_ranges *newest;	/* list of all tables of unsafe code; atomic */
};

/* A range of addresses that contains no unsafe code. */
struct unsafe_gap {
	uint64_t start, size;
};

/* Return the unsafe range that contains @pc. If there is no such range, return NULL and set *@gap
 * to the range of addresses around @pc that contains no unsafe code. */
const struct unsafe_range *unsafe_find_or_gap(const struct unsafe *unsafe, uint64_t pc,
					      struct unsafe_gap *gap);

static inline const struct unsafe_range *unsafe_find(const struct unsafe *unsafe, uint64_t pc)
{
	struct unsafe_gap gap;

	return unsafe_find_or_gap(unsafe, pc, &gap);
}

/* Add the range from @start to @end to the unsafe code. It replaces overlapping ranges that the
 * user named, but not ranges of the probe. Return 0 or -ENOMEM. */
int unsafe_add(struct unsafe *unsafe, uint64_t start, uint64_t end, enum unsafe_why why);

/* Remove ranges that the user named between @start and @end, because a module was unloaded there.
 * Return 0 or -ENOMEM. */
int unsafe_remove(struct unsafe *unsafe, uint64_t start, uint64_t end);

#endif
