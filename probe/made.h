/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made.h -- executable memory that the loader does not know: code made while the program runs, and a second mapping of a
 * file's code.
 */
#ifndef PROBE_MADE_H
#define PROBE_MADE_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/regions.h"

#define MADE_RANGES	8

struct made_range {
	uint64_t start, end;
	bool is_file;		/* of a file with a path */
	bool asked;		/* whether it is a second mapping of a module's code */
};

/* The ranges that were asked for last. One thread's. Zeroed: none. */
struct made {
	struct made_range ranges[MADE_RANGES];
	uint32_t next;		/* the range to be replaced */
	uint32_t skip;		/* so many unknown addresses are answered without reading the memory map */
	char buf[RAW_REGIONS_BUF];
};

/* Return the range that @code is in, or NULL when that memory is not executable. The memory map is read for an address in
 * no range, but not for each one. For handlers. */
struct made_range *made_find(struct made *made, uint64_t code);

/*
 * Find the mapping of the same bytes of the same file that @is_original accepts, which gets an address in it. 0, with the
 * executable range that @code is in, and *@moved to be subtracted from an address there to get that of the original;
 * -ENOENT; other negative errno. For handlers.
 */
int made_find_original(uint64_t code, bool (*is_original)(void *arg, uint64_t address), void *arg, struct made_range *ret,
		       uint64_t *moved);

#endif
