/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.h -- which path has allocated which block, and what that makes of its metrics.
 *
 * All blocks, or those that were met by samples (poisson.h), which then stand for as many others: a block is known with what
 * it counts as. A table knows them, by address, in shards with a lock each. It is nothing for handlers, which do not allocate.
 * Who frees a block credits the node that allocated it, whichever thread has that: so what is freed is added to
 * atomically; what is allocated is only by the thread whose node it is. A node's bytes at the peak are brought up to date when it is touched, or by who reads the file: each new
 * peak that is about a hundredth above the last is a generation, and what a node has that was not touched since that began is
 * what it had then.
 */
#ifndef PROBE_HEAP_H
#define PROBE_HEAP_H

#include <stdbool.h>

#include "libop/raw/live.h"
#include "probe/wrap/filter.h"

struct heap_block {
	uintptr_t at;			/* 0: no block */
	uint64_t size;			/* bytes that it counts as */
	struct raw_live_node *node;	/* that allocated it */
	uint32_t nr;			/* blocks that it counts as */
};

struct heap_shard {
	int lock;
	uint32_t nr, size;		/* a power of 2, or 0 */
	struct heap_block *blocks;	/* each as near behind where it belongs as can be */
} __attribute__((aligned(64)));		/* two threads seldom want the same */

/* Of the peak: another one is so much above the last (its 128th), and all threads together hold back so little that both are less
 * than a hundredth, those too that have begun to when there were fewer threads. */
#define HEAP_STEP	128
#define HEAP_HELD	8192

struct heap {
	struct raw_live_run *run;	/* NULL: nothing is counted */
	uint32_t first;			/* of its metrics, enum raw_live_heap */
	const uint32_t *nr_threads;	/* that may hold back; atomic */
	uint64_t mean;			/* bytes from sample to sample; 0: all blocks are counted */
	uint64_t live, peak;		/* bytes; atomic */
	struct heap_shard shards[FILTER_SHARDS];
	uint32_t *filter;		/* FILTER_SIZE words, atomic */
};

/* From now on blocks are known, and counted by the metrics from @first on; those of before, a parent's, are not. *@filter is zeros when @heap is. */
void heap_begin(struct heap *heap, struct raw_live_run *run, uint32_t first, uint64_t mean, uint32_t filter[FILTER_SIZE],
		const uint32_t *nr_threads);

/* @node, a path of this thread, has allocated it; *@held: bytes by which .live should be more for what the thread has done (NULL:
 * none are held back); it counts as @nr of @size bytes in all. False: there is no memory to know it by, and it is not
 * counted, or it would seem never to be freed. The block is still the caller's: nobody frees it meanwhile. */
bool heap_add(struct heap *heap, int64_t *held, const void *at, uint64_t size, uint32_t nr, struct raw_live_node *node);

/* Takes it out of the table, which is not its free() yet. False: it is not known. */
bool heap_take(struct heap *heap, const void *at, struct heap_block *block);

/* It was freed; @is_temporary: and its thread had allocated nothing between. */
void heap_freed(struct heap *heap, int64_t *held, const struct heap_block *block, bool is_temporary);

/* It was not freed after all. */
void heap_put_back(struct heap *heap, const struct heap_block *block);

#endif
