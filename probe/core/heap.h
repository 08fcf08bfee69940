/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.h -- a table of the live heap blocks, each with the call path of its allocation, and the
 * metrics of the heap.
 *
 * The table contains either all blocks, or only sampled blocks (poisson.h). A sampled block
 * represents several blocks and is stored with their number. The table is a hash table indexed by
 * address. It is divided into shards with a lock each. Signal handlers must not use it.
 *
 * A free() is counted in the node that allocated the block. That node may belong to another thread,
 * so freed amounts are added atomically; allocated amounts are written only by the node's own
 * thread. A filter counts recorded blocks by a hash of their address: a single load shows that a
 * block is not recorded. When the live bytes exceed the last peak by about 1 %, a new generation
 * begins. A node's bytes at the peak are updated lazily, when the node next changes, or by a reader
 * of the file: if the node has not changed in the current generation, its present bytes are its
 * bytes at the peak.
 */
#ifndef PROBE_CORE_HEAP_H
#define PROBE_CORE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/live.h"

/* number of shards (parts with a lock each) of the table of heap blocks; the shards also divide the
 * filter's words */
#define FILTER_SHARDS	64
/* number of words of the filter, one for each 16-bit hash */
#define FILTER_SIZE	65536

/* Return the index of the filter word for address @at. Use the high bits of the hash, which are
 * distributed better than the low bits. */
static inline uint64_t filter_hash(uintptr_t at)
{
	return at * 0x9e3779b97f4a7c15u;
}

static inline uint32_t filter_place(uint64_t hash)
{
	return hash >> 48;
}

struct heap_block {
	uintptr_t at;			/* address of the block; 0: this hash table slot is empty */
	uint64_t size;			/* number of bytes that the block represents */
	struct raw_live_node *node;	/* tree node of the path that allocated the block */
	/* number of blocks that this sampled block represents */
	uint32_t nr;
};

struct heap_shard {
	int lock;
	/* .nr: number of blocks in the shard's table; .size: number of slots, a power of 2, or 0 */
	uint32_t nr, size;
	struct heap_block *blocks;	/* hash table of the shard's blocks, with linear probing */
/* one cache line per shard, to avoid false sharing */
} __attribute__((aligned(64)));

/*
 * A new peak is recorded if it exceeds the last peak by 1 / HEAP_STEP. The number of bytes that a
 * thread accumulates (heap_held in struct state) is limited, so that both errors together stay
 * below 1 %, even if the number of threads has increased since the thread began to accumulate.
 */
#define HEAP_STEP	128
#define HEAP_HELD	8192

struct heap {
	/* the run whose heap is counted; NULL: do not count the heap */
	struct raw_live_run *run;
	/* index of the first heap metric; the other heap metrics follow, in the order of enum
	 * raw_live_heap */
	uint32_t first;
	/* pointer to the number of threads that may have accumulated bytes that .live does not
	 * include yet; atomic */
	const uint32_t *nr_threads;
	/* mean number of allocated bytes between two sampled blocks; 0: count all blocks */
	uint64_t mean;
	/* .live: current number of live bytes; .peak: highest value of .live so far; atomic */
	uint64_t live, peak;
	struct heap_shard shards[FILTER_SHARDS];
	uint32_t *filter;	/* filter of the table: an array of FILTER_SIZE words; atomic */
};

/*
 * Start counting blocks, with the metrics from index @first on. Do not count blocks that already
 * exist, including blocks inherited from a parent. At the first call (@heap is zeroed), @filter
 * must be zeroed as well.
 */
void heap_begin(struct heap *heap, struct raw_live_run *run, uint32_t first, uint64_t mean,
		uint32_t filter[FILTER_SIZE], const uint32_t *nr_threads);

/*
 * Add the block at address @at to the table. @node: node of the call path of this thread that
 * allocated the block. It represents @nr blocks with @size bytes in total. *@held: bytes of this
 * thread that are not yet added to .live (NULL: add bytes at once). If the table cannot grow,
 * return false and count nothing, because an unrecorded block would look like a leak. The caller
 * must own the block until this returns, so that no other thread frees it.
 */
bool heap_add(struct heap *heap, int64_t *held, const void *at, uint64_t size, uint32_t nr,
	      struct raw_live_node *node);

/* Remove the block at address @at from the table and copy it to *@block. Call this function before
 * free(). Return false if the table does not contain the block. */
bool heap_remove(struct heap *heap, const void *at, struct heap_block *block);

/* Count @block as freed. @is_temporary: the thread that allocated the block has allocated no
 * other block before the free(). */
void heap_freed(struct heap *heap, int64_t *held, const struct heap_block *block,
		bool is_temporary);

/* Add a block again that heap_remove() has removed, because the program did not free it. */
void heap_put_back(struct heap *heap, const struct heap_block *block);

#endif
