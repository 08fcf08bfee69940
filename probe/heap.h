/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.h -- the paths that allocated the blocks of the heap, and the heap's metrics.
 *
 * The heap has all blocks, or those met by samples (poisson.h). A sampled block stands for several
 * blocks and is stored with the number that it counts as. A table stores blocks by address, in
 * shards with a lock each. Handlers do not allocate and must not use it.
 *
 * A free() credits the node that allocated the block, which may be another thread's. So freed
 * amounts are added atomically; allocated amounts are written only by the node's own thread.
 *
 * A node's bytes at the peak are brought up to date when the node is changed, or by the reader of
 * the file. Each new peak that is about a hundredth above the last is a generation. A node that was
 * not changed since the generation began had its present bytes at that peak.
 */
#ifndef PROBE_HEAP_H
#define PROBE_HEAP_H

#include <stdbool.h>

#include "libop/raw/live.h"
#include "probe/wrap/filter.h"

struct heap_block {
	uintptr_t at;			/* 0: empty */
	uint64_t size;			/* bytes that the block counts as */
	struct raw_live_node *node;	/* the node that allocated it */
	uint32_t nr;			/* number of blocks that it counts as */
};

struct heap_shard {
	int lock;
	uint32_t nr, size;		/* a power of 2, or 0 */
	struct heap_block *blocks;	/* hash table with linear probing */
} __attribute__((aligned(64))); /* a cache line each: two threads seldom use the same shard */

/* A new peak is a 128th above the last, and all threads together hold back so little that the sum
 * of both errors is below a hundredth. This includes threads that began to hold back when there
 * were fewer threads. */
#define HEAP_STEP	128
#define HEAP_HELD	8192

struct heap {
	struct raw_live_run *run;	/* NULL: the heap is not counted */
	uint32_t first;			/* the first of its metrics, enum raw_live_heap */
	const uint32_t *nr_threads;	/* number of threads that may hold back; atomic */
	/* mean bytes from sample to sample; 0: all blocks are counted */
	uint64_t mean;
	uint64_t live, peak;		/* bytes; atomic */
	struct heap_shard shards[FILTER_SHARDS];
	uint32_t *filter;		/* FILTER_SIZE words, atomic */
};

/* Record and count blocks from now on, by the metrics from @first on. Blocks allocated before, such
 * as a parent's, are not counted. When @heap is zeros, so is *@filter. */
void heap_begin(struct heap *heap, struct raw_live_run *run, uint32_t first, uint64_t mean,
		uint32_t filter[FILTER_SIZE], const uint32_t *nr_threads);

/* Record the block at @at, which @node, a path of this thread, allocated. It counts as @nr blocks
 * of @size bytes in all. *@held: the bytes of this thread that are not yet added to .live (NULL:
 * add at once). Return false, and count nothing, if there is no memory to record the block: it
 * would seem never to be freed. The caller owns the block, so it is not freed meanwhile. */
bool heap_add(struct heap *heap, int64_t *held, const void *at, uint64_t size, uint32_t nr,
	      struct raw_live_node *node);

/* Remove the block at @at from the table and copy it to @block, before its free(). Return false if
 * it is unknown. */
bool heap_take(struct heap *heap, const void *at, struct heap_block *block);

/* Count the block as freed; @is_temporary: its thread allocated no other block in between. */
void heap_freed(struct heap *heap, int64_t *held, const struct heap_block *block,
		bool is_temporary);

/* Record the block again because it was not freed after all. */
void heap_put_back(struct heap *heap, const struct heap_block *block);

#endif
