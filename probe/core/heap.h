/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.h -- a table of the live heap blocks, with the call path that allocated each block, and the
 * heap's metrics.
 *
 * The table contains either all blocks, or only sampled blocks (poisson.h). A sampled block
 * represents several blocks and is stored with their number. The table is a hash table indexed by
 * address, in shards that have a lock each. Signal handlers must not use it.
 *
 * Freeing a block adds to the metrics of the node that allocated the block. The node may belong to
 * another thread, so freed amounts are added atomically; only the node's own thread writes
 * allocated amounts.
 *
 * A filter has the number of recorded blocks by a hash of their address: one load from the filter
 * shows that a block is not recorded.
 *
 * Each new peak of the live bytes that is about one hundredth above the last begins a new
 * generation. A node's bytes at the peak are updated when the node is next changed, or by a reader
 * of the file: if the node was not changed in the current generation, its present bytes are its
 * bytes at the peak.
 */
#ifndef PROBE_CORE_HEAP_H
#define PROBE_CORE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/live.h"

/* number of shards of the table of heap blocks; each word of the filter belongs to one shard */
#define FILTER_SHARDS	64
/* number of words of the filter, one for each 16-bit hash */
#define FILTER_SIZE	65536

/* Return the hash's word in the filter. The hash's high bits are distributed better than its low
 * bits. */
static inline uint64_t filter_hash(uintptr_t at)
{
	return at * 0x9e3779b97f4a7c15u;
}

static inline uint32_t filter_place(uint64_t hash)
{
	return hash >> 48;
}

struct heap_block {
	uintptr_t at;			/* address of the block; 0: this slot is empty */
	uint64_t size;			/* number of bytes that the block represents */
	struct raw_live_node *node;	/* tree node of the path that allocated the block */
	/* number of blocks that this block represents */
	uint32_t nr;
};

struct heap_shard {
	int lock;
	/* .nr: number of blocks in the table; .size: number of slots, a power of 2, or 0 */
	uint32_t nr, size;
	struct heap_block *blocks;	/* hash table with linear probing */
/* each shard has its own cache line, so that threads with different shards share no cache line */
} __attribute__((aligned(64)));

/* A new peak is recorded if it is at least 1 / HEAP_STEP above the last peak. All threads together
 * hold back so few bytes that the sum of both errors stays below one hundredth, even for a thread
 * that began to hold back bytes when there were fewer threads. */
#define HEAP_STEP	128
#define HEAP_HELD	8192

struct heap {
	/* the run that counts the heap; NULL: the heap is not counted */
	struct raw_live_run *run;
	/* index of the first heap metric; the other heap metrics follow, in the order of enum
	 * raw_live_heap */
	uint32_t first;
	const uint32_t *nr_threads;	/* number of threads that may hold bytes back; atomic */
	/* mean number of bytes between samples; 0: count all blocks */
	uint64_t mean;
	/* .live: present number of live bytes; .peak: highest number; atomic */
	uint64_t live, peak;
	struct heap_shard shards[FILTER_SHARDS];
	uint32_t *filter;		/* array of FILTER_SIZE words; atomic */
};

/* Start counting blocks, with the metrics from index @first on. Blocks that were allocated before,
 * also those inherited from a parent, are not counted. If @heap is zeros, *@filter must be zeros
 * too. */
void heap_begin(struct heap *heap, struct raw_live_run *run, uint32_t first, uint64_t mean,
		uint32_t filter[FILTER_SIZE], const uint32_t *nr_threads);

/* Add the block at address @at, allocated by path @node of this thread, to the table. It represents
 * @nr blocks with @size bytes in all. *@held: bytes of this thread that are not yet added to .live
 * (NULL: add the bytes at once). If the table cannot grow for lack of memory, return false and
 * count nothing, because an unrecorded block would seem never to be freed. The caller must own the
 * block until this returns, so that it is not freed meanwhile. */
bool heap_add(struct heap *heap, int64_t *held, const void *at, uint64_t size, uint32_t nr,
	      struct raw_live_node *node);

/* Remove the block at address @at from the table and copy it to *@block. Call this before free().
 * Return false if the table does not have the block. */
bool heap_remove(struct heap *heap, const void *at, struct heap_block *block);

/* Count @block as freed. @is_temporary: its thread allocated no other block between its allocation
 * and its free(). */
void heap_freed(struct heap *heap, int64_t *held, const struct heap_block *block,
		bool is_temporary);

/* Add a block that heap_remove() removed to the table again, because it was not freed after all. */
void heap_put_back(struct heap *heap, const struct heap_block *block);

#endif
