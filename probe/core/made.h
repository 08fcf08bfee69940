/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made.h -- executable memory that the dynamic loader does not know: JIT code, and second mappings
 * of a file's code.
 */
#ifndef PROBE_CORE_MADE_H
#define PROBE_CORE_MADE_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/regions.h"

#define MADE_RANGES	8

struct made_range {
	uint64_t start, end;
	bool is_file;		/* the range is a mapping of a file that has a path */
	/* a caller has already checked whether this range is a second mapping of a module */
	bool asked;
};

/* The executable ranges that one thread has looked up recently. A zeroed struct is empty. */
struct made {
	struct made_range ranges[MADE_RANGES];
	uint32_t next;		/* index of the range that the next lookup replaces */
	/* number of unknown addresses that will not be looked up in the memory map */
	uint32_t skip;
	char buf[RAW_REGIONS_BUF];
};

/* Return the executable range that contains @code, or NULL if the memory is not executable or
 * the lookup was skipped. If @code is outside of the known ranges, read the memory map. This is
 * slow, so after a failure the lookups of some addresses are skipped. May be called in signal
 * handlers. */
struct made_range *made_find(struct made *made, uint64_t code);

/* Return the range that contains @code if made_find() found it before, else NULL. The function does
 * not read the memory map. */
struct made_range *made_known(struct made *made, uint64_t code);

/*
 * @code is in a mapping of a file. Find another mapping of the same part of the file. @is_original
 * receives an address in a candidate mapping and returns whether to accept it. On success return 0,
 * and set *@ret to the executable range around @code and *@moved to the distance of the two
 * mappings: an address in *@ret minus *@moved is the corresponding address in the other mapping.
 * Return -ENOENT or another negative errno on failure. May be called in signal handlers.
 */
int made_find_original(uint64_t code, bool (*is_original)(void *arg, uint64_t address), void *arg,
		       struct made_range *ret, uint64_t *moved);

#endif
