/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unsafe.h -- code in which no path is taken: our own code, and functions that the user named.
 *
 * One table of ranges by address, which do not overlap. Handlers read and change it without a lock:
 * a table never changes, but is replaced by another one, and no table is unmapped. An earlier table
 * with the same ranges is used again, so there are few tables.
 */
#ifndef PROBE_UNSAFE_H
#define PROBE_UNSAFE_H

#include <stdint.h>

enum unsafe_why {
	/* the probe and its replacements of functions: their frames are omitted from paths too */
	UNSAFE_OWN,
	UNSAFE_NAMED,		/* named by the user */
};

struct unsafe_range {
	uint64_t start, end;
	enum unsafe_why why;
};

struct unsafe {
	struct unsafe_ranges *now;	/* atomic; NULL: no unsafe range */
	struct unsafe_ranges *newest;	/* atomic: list of all tables */
};

/* A range without unsafe code. */
struct unsafe_gap {
	uint64_t start, size;
};

/* Return the range with @pc. If there is none, return NULL and set *@gap to the unsafe-free range
 * around @pc. */
const struct unsafe_range *unsafe_find_or_gap(const struct unsafe *unsafe, uint64_t pc,
					      struct unsafe_gap *gap);

static inline const struct unsafe_range *unsafe_find(const struct unsafe *unsafe, uint64_t pc)
{
	struct unsafe_gap gap;

	return unsafe_find_or_gap(unsafe, pc, &gap);
}

/* Make @start to @end unsafe. This replaces ranges named by the user there, but not our own. Return
 * 0 or -ENOMEM. */
int unsafe_add(struct unsafe *unsafe, uint64_t start, uint64_t end, enum unsafe_why why);

/* Remove the named ranges from @start to @end, whose code was unloaded. Return 0 or -ENOMEM. */
int unsafe_remove(struct unsafe *unsafe, uint64_t start, uint64_t end);

#endif
