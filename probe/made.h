/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made.h -- executable memory that the loader does not know: code made while the program runs, and
 * a second mapping of a file's code.
 */
#ifndef PROBE_MADE_H
#define PROBE_MADE_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/regions.h"

#define MADE_RANGES	8

struct made_range {
	uint64_t start, end;
	bool is_file;		/* mapping of a file with a path */
	bool asked;		/* it was checked for being a second mapping of a module's code */
};

/* The ranges found last, for one thread. A zeroed struct is empty. */
struct made {
	struct made_range ranges[MADE_RANGES];
	uint32_t next;		/* index of the range to replace next */
	/* number of unknown addresses to answer without reading the memory map */
	uint32_t skip;
	char buf[RAW_REGIONS_BUF];
};

/* Return the range of @code, or NULL if that memory is not executable. Read the memory map for an
 * address outside of the known ranges, but not for each such address. May be called in handlers. */
struct made_range *made_find(struct made *made, uint64_t code);

/* Return the range of @code if it was found before, or NULL, without reading the memory map. */
struct made_range *made_known(struct made *made, uint64_t code);

/*
 * Find the mapping of the same bytes of the same file that @is_original accepts; it is called with
 * an address in the mapping. Return 0 and the executable range of @code; subtract *@moved from an
 * address there to get the original address. Return -ENOENT or another negative errno on failure.
 * May be called in handlers.
 */
int made_find_original(uint64_t code, bool (*is_original)(void *arg, uint64_t address), void *arg,
		       struct made_range *ret, uint64_t *moved);

#endif
