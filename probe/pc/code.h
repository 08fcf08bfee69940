/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h -- the owners of the code addresses of this process: a table of regions, and the file that
 * counts them.
 *
 * Handlers read the table without a lock. When an address is in none of its regions, it is replaced
 * as a whole by one made from /proc/self/maps, so libraries that are loaded late need no hook. The
 * former table is used again when it has no readers: a reader registers before it takes the table,
 * and a replaced table gets no new readers.
 */
#ifndef PROBE_PC_CODE_H
#define PROBE_PC_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/regions.h"
#include "probe/pc/file.h"

struct pc_table {
	size_t nr, room;
	struct pc_region *items[];	/* sorted by address */
};

struct pc_code {
	struct pc_file *file;
	struct pc_table *table;		/* atomic */
	struct pc_table *spare;		/* the former table; protected by .lock */
	int readers;			/* atomic */
	uint32_t bin, width;		/* for new regions; width 0: no counters */
	bool main_only;			/* count only the program's own code */
	int lock;			/* atomic: a thread reads the mappings */
	int changing;			/* atomic: number of unfinished dlclose() calls */
	int stale;			/* atomic: a library was unloaded */
	uint64_t misses, look_at;	/* atomic */
	struct statx_id { uint64_t inode; uint32_t major, minor; } program;
	/* Protected by .lock; too large for a handler's stack. */
	char buf[RAW_REGIONS_BUF];
	struct raw_pct_region record;
};

/* Read the mappings for the first time. Return 0 or a negative errno. */
int pc_code_init(struct pc_code *code, struct pc_file *file, uint32_t bin, uint32_t width,
		 bool main_only);

/* Count @weight samples at @at in a region's counter, or as a loss. With width 0, only make sure
 * that the region is in the file. For handlers of any thread. */
void pc_code_sample(struct pc_code *code, uintptr_t at, uint64_t weight);

/* Called before and after dlclose(), while addresses may change owners. */
void pc_code_unloading(struct pc_code *code);
void pc_code_unloaded(struct pc_code *code);

#endif
