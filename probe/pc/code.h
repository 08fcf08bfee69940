/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h -- whose code is at an address of this process: a table of regions, and the file that counts them.
 *
 * Handlers read the table without a lock. It is replaced as a whole when an address is in none of its regions, as
 * /proc/self/maps has it then: libraries that are loaded late need no hook. The table before is used again when nobody
 * can be reading it: a reader says so first, and a table that has been replaced gets no new ones.
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
	struct pc_region *items[];	/* by address */
};

struct pc_code {
	struct pc_file *file;
	struct pc_table *table;		/* atomic */
	struct pc_table *spare;		/* that was before; under .lock */
	int readers;			/* atomic */
	uint32_t bin, width;		/* of new regions; width 0: they have no counters */
	bool main_only;			/* the program's own code, nothing else */
	int lock;			/* atomic: somebody is looking */
	int changing;			/* atomic: calls of dlclose() that go on */
	int stale;			/* atomic: something was unloaded */
	uint64_t misses, look_at;	/* atomic */
	struct statx_id { uint64_t inode; uint32_t major, minor; } program;
	/* While .lock is held: a handler's stack has no room for them. */
	char buf[RAW_REGIONS_BUF];
	struct raw_pct_region record;
};

/* Looks for the first time. 0 or negative errno. */
int pc_code_init(struct pc_code *code, struct pc_file *file, uint32_t bin, uint32_t width, bool main_only);

/*
 * Counts @weight samples at @at: in a region's counters, or as a loss. With counters of no width, only sees to it that the
 * region is in the file. Any thread's handler.
 */
void pc_code_sample(struct pc_code *code, uintptr_t at, uint64_t weight);

/* Around dlclose(): what is where then is not known. */
void pc_code_unloading(struct pc_code *code);
void pc_code_unloaded(struct pc_code *code);

#endif
