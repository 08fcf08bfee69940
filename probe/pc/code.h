/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h -- a table of the executable mappings (regions) of this process, and counting of samples
 * in them.
 *
 * Signal handlers read the table without a lock. If an address is in no region, a new table is
 * built from /proc/self/maps and replaces the table, so libraries that are loaded later need no
 * hook. The replaced table is kept as a spare and reused when it has no readers: a reader
 * increments .readers before it loads the table's address, so a replaced table gets no new readers.
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
	struct pc_region *items[];	/* regions of the table, in ascending order of address */
};

struct pc_code {
	struct pc_file *file;
	struct pc_table *table;		/* the current table of regions; atomic */
	struct pc_table *spare;		/* the previous table, for reuse; protected by .lock */
	/* number of signal handlers that are reading a table; atomic */
	int readers;
	/* for new regions: .bin: number of bytes of code that share one counter; .width: size of a
	 * counter in bytes; 0: regions have no counters */
	uint32_t bin, width;
	/* count samples only in the program's own code, not in libraries */
	bool main_only;
	int lock;	/* not 0: a thread is updating the table from /proc/self/maps; atomic */
	int changing;			/* number of dlclose() calls in progress; atomic */
	/* not 0: a library was unloaded after the table was built; atomic */
	int stale;
	/* .misses: number of sampled addresses outside of all regions; .look_at: value of .misses
	 * at which the mappings are read again; both atomic */
	uint64_t misses, look_at;
	struct statx_id { uint64_t inode; uint32_t major, minor; } program;
	/* Buffers that are too large for a signal handler's stack; protected by .lock. */
	char buf[RAW_REGIONS_BUF];
	struct raw_pct_region record;
};

/* Initialize @code and build the first table. Return 0 or a negative errno. */
int pc_code_init(struct pc_code *code, struct pc_file *file, uint32_t bin, uint32_t width,
		 bool main_only);

/* Add @weight samples to the counter of address @at in its region, or count them as lost. If
 * regions have no counters (.width 0), only add the region to the file. May be called in signal
 * handlers of any thread. */
void pc_code_sample(struct pc_code *code, uintptr_t at, uint64_t weight);

/* Called before and after dlclose(), respectively. Between the two calls, samples are counted as
 * lost: another library may already be loaded at the same address. */
void pc_code_unloading(struct pc_code *code);
void pc_code_unloaded(struct pc_code *code);

#endif
