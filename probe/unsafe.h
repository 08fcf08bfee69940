/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unsafe.h -- code in which no path is taken: our own, and what the user has named.
 *
 * One table of ranges by address, which do not overlap. Handlers read it, and change it, without a lock: a table never changes,
 * but another takes its place, and none is ever unmapped. One that was there before is there again, so they are few.
 */
#ifndef PROBE_UNSAFE_H
#define PROBE_UNSAFE_H

#include <stdint.h>

enum unsafe_why {
	UNSAFE_OWN,		/* the probe, and what stands in for functions: no frame of it is in a path either */
	UNSAFE_NAMED,		/* by the user */
};

struct unsafe_range {
	uint64_t start, end;
	enum unsafe_why why;
};

struct unsafe {
	struct unsafe_ranges *now;	/* atomic; NULL: nothing is unsafe */
	struct unsafe_ranges *newest;	/* atomic: of all that there were */
};

/* Where nothing is unsafe. */
struct unsafe_gap {
	uint64_t start, size;
};

/* The range that has @pc; NULL: none has, nor any part of *@gap, where @pc is. */
const struct unsafe_range *unsafe_find_or_gap(const struct unsafe *unsafe, uint64_t pc, struct unsafe_gap *gap);

static inline const struct unsafe_range *unsafe_find(const struct unsafe *unsafe, uint64_t pc)
{
	struct unsafe_gap gap;

	return unsafe_find_or_gap(unsafe, pc, &gap);
}

/* What is unsafe from @start to @end, and what was named there before is so no more: what is ours stays ours. 0, -ENOMEM. */
int unsafe_add(struct unsafe *unsafe, uint64_t start, uint64_t end, enum unsafe_why why);

/* The code there has gone, and what was named of it. 0, -ENOMEM. */
int unsafe_remove(struct unsafe *unsafe, uint64_t start, uint64_t end);

#endif
