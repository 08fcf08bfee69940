// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heap.c -- a table of the live heap blocks, each with the call path of its allocation, and the
 * heap's metrics.
 */
#include "config.h"
#include "probe/core/heap.h"

#include <sys/single_threaded.h>

#include "probe/linux/calls.h"

#define FIRST_SIZE	512
#define SPINS		100

static struct heap_shard *shard_of(struct heap *heap, uint64_t h)
{
	return &heap->shards[filter_place(h) % FILTER_SHARDS];
}

static uint32_t *filter_of(struct heap *heap, uint64_t h)
{
	return &heap->filter[filter_place(h)];
}

static uint32_t place_of(const struct heap_shard *shard, uint64_t h)
{
	return (h ^ h >> 32) / FILTER_SHARDS & (shard->size - 1);
}

/* Return whether the process has only one thread. If so, atomic operations are not needed: the
 * thread cannot create another thread while it runs the probe's code. */
static bool is_alone(void)
{
	return __libc_single_threaded;
}

static void add(uint64_t *to, uint64_t n)
{
	if (is_alone())
		*to += n;
	else
		__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static void lock(struct heap_shard *shard)
{
	if (is_alone()) {
		shard->lock = 1;
		return;
	}
	for (int i = 0; __atomic_exchange_n(&shard->lock, 1, __ATOMIC_ACQUIRE); i++)
		if (i >= SPINS)
			arch_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static void unlock(struct heap_shard *shard)
{
	__atomic_store_n(&shard->lock, 0, __ATOMIC_RELEASE);
}

static void insert(struct heap_shard *shard, const struct heap_block *block)
{
	uint32_t i = place_of(shard, filter_hash(block->at));

	while (shard->blocks[i].at)
		i = (i + 1) & (shard->size - 1);
	shard->blocks[i] = *block;
	shard->nr++;
}

/* Double the size of a shard's hash table. The caller holds the shard's lock. */
static bool grow(struct heap_shard *shard)
{
	struct heap_shard bigger = { .size = shard->size ? 2 * shard->size : FIRST_SIZE };
	long at = call_mmap((size_t)bigger.size * sizeof(*bigger.blocks), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (call_failed(at) || !bigger.size)
		return false;
	bigger.blocks = (struct heap_block *)at;
	for (uint32_t i = 0; i < shard->size; i++)
		if (shard->blocks[i].at)
			insert(&bigger, &shard->blocks[i]);
	if (shard->size)
		call_munmap(shard->blocks, (size_t)shard->size * sizeof(*shard->blocks));
	shard->blocks = bigger.blocks;
	shard->size = bigger.size;
	return true;
}

/* Return the index of the block at address @at in its shard, or shard->size if the shard does
 * not contain the block. */
static uint32_t find(const struct heap_shard *shard, uintptr_t at, uint64_t h)
{
	if (!shard->size)
		return 0;
	for (uint32_t i = place_of(shard, h); shard->blocks[i].at; i = (i + 1) & (shard->size - 1))
		if (shard->blocks[i].at == at)
			return i;
	return shard->size;
}

/* Remove the block at index @hole from a hash table with linear probing. Move later blocks into
 * the hole where necessary, so that searches do not end at the hole. */
static void remove_block(struct heap_shard *shard, uint32_t hole)
{
	uint32_t mask = shard->size - 1;

	for (uint32_t i = (hole + 1) & mask; shard->blocks[i].at; i = (i + 1) & mask) {
		uint32_t wants = place_of(shard, filter_hash(shard->blocks[i].at));

		if (((i - wants) & mask) < ((i - hole) & mask))
			continue;
		shard->blocks[hole] = shard->blocks[i];
		hole = i;
	}
	shard->blocks[hole].at = 0;
	shard->nr--;
}

void heap_begin(struct heap *heap, struct raw_live_run *run, uint32_t first, uint64_t mean,
		uint32_t filter[FILTER_SIZE], const uint32_t *nr_threads)
{
	for (int i = 0; i < FILTER_SHARDS; i++)
		if (heap->shards[i].size)
			call_munmap(heap->shards[i].blocks,
				    (size_t)heap->shards[i].size * sizeof(struct heap_block));
	/* At the first call, the filter is still zero: do not clear it, because a write would
	 * allocate its pages. */
	if (heap->run)
		__builtin_memset(filter, 0, FILTER_SIZE * sizeof(*filter));
	__builtin_memset(heap, 0, sizeof(*heap));
	heap->first = run->heap = first;
	heap->mean = mean;
	heap->filter = filter;
	heap->nr_threads = nr_threads;
	run->generation = 1;
	heap->run = run;
}

/* Add @by to @word, a word of the filter. The caller holds the shard's lock, but readers of the
 * filter hold no lock. */
static void change_filter(uint32_t *word, uint32_t by)
{
	__atomic_store_n(word, *word + by, __ATOMIC_RELAXED);
}

/* If the heap has reached a new peak since the node's last change, the node's live bytes are also
 * its bytes at the peak: store this number. Must be called before the node's bytes change. */
static void catch_up(const struct heap *heap, struct raw_live_node *node)
{
	uint64_t now = __atomic_load_n(&heap->run->generation, __ATOMIC_RELAXED),
		 *metrics = &node->metrics[heap->first];

	if (__atomic_load_n(&metrics[RAW_LIVE_GENERATION], __ATOMIC_RELAXED) != now &&
	    __atomic_exchange_n(&metrics[RAW_LIVE_GENERATION], now, __ATOMIC_RELAXED) != now)
		__atomic_store_n(
			&metrics[RAW_LIVE_PEAK],
			__atomic_load_n(&metrics[RAW_LIVE_ALLOCATED], __ATOMIC_RELAXED) -
				__atomic_load_n(&metrics[RAW_LIVE_FREED], __ATOMIC_RELAXED),
			__ATOMIC_RELAXED);
}

static bool put(struct heap *heap, const struct heap_block *block)
{
	uint64_t h = filter_hash(block->at);
	struct heap_shard *shard = shard_of(heap, h);
	bool is_in = true;
	uint32_t i;

	lock(shard);
	/* If the table has a block at the same address, the free() of that block was missed:
	 * replace the block. */
	i = find(shard, block->at, h);
	if (i < shard->size) {
		shard->blocks[i] = *block;
	} else if (shard->nr < shard->size / 4 * 3 || grow(shard)) {
		insert(shard, block);
		change_filter(filter_of(heap, h), 1);
	} else {
		is_in = false;
	}
	unlock(shard);
	return is_in;
}

/* Add @by to the number of live bytes of the process. All threads share this number, so a thread
 * accumulates small amounts in *@held before it adds them (@held NULL: add at once). */
static void change_live(struct heap *heap, int64_t *held, int64_t by)
{
	uint64_t live, peak = __atomic_load_n(&heap->peak, __ATOMIC_RELAXED);

	if (held) {
		by += *held;
		*held = by;
		if ((uint64_t)(by < 0 ? -by : by) *
			    __atomic_load_n(heap->nr_threads, __ATOMIC_RELAXED) <=
		    peak / HEAP_HELD)
			return;
		*held = 0;
	}
	live = __atomic_add_fetch(&heap->live, by, __ATOMIC_RELAXED);
	if (by > 0 && live > peak + peak / HEAP_STEP &&
	    __atomic_compare_exchange_n(&heap->peak, &peak, live, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		__atomic_fetch_add(&heap->run->generation, 1, __ATOMIC_RELAXED);
}

bool heap_add(struct heap *heap, int64_t *held, const void *at, uint64_t size, uint32_t nr,
	      struct raw_live_node *node)
{
	const struct heap_block block = { (uintptr_t)at, size, node, nr };

	if (!put(heap, &block))
		return false;
	catch_up(heap, node);
	__atomic_store_n(&node->metrics[heap->first + RAW_LIVE_ALLOCATED],
			 node->metrics[heap->first + RAW_LIVE_ALLOCATED] + size, __ATOMIC_RELAXED);
	node->metrics[heap->first + RAW_LIVE_ALLOCATIONS] += nr;
	change_live(heap, held, size);
	return true;
}

bool heap_remove(struct heap *heap, const void *at, struct heap_block *block)
{
	uint64_t h = filter_hash((uintptr_t)at);
	struct heap_shard *shard = shard_of(heap, h);
	bool is_known = false;
	uint32_t i;

	if (!__atomic_load_n(filter_of(heap, h), __ATOMIC_RELAXED))
		return false;
	lock(shard);
	i = find(shard, (uintptr_t)at, h);
	if (i < shard->size) {
		*block = shard->blocks[i];
		remove_block(shard, i);
		change_filter(filter_of(heap, h), -1);
		is_known = true;
	}
	unlock(shard);
	return is_known;
}

void heap_freed(struct heap *heap, int64_t *held, const struct heap_block *block, bool is_temporary)
{
	uint64_t *metrics = &block->node->metrics[heap->first];

	catch_up(heap, block->node);
	add(&metrics[RAW_LIVE_FREED], block->size);
	add(&metrics[RAW_LIVE_FREES], block->nr);
	if (is_temporary)
		add(&metrics[RAW_LIVE_TEMPORARY], block->nr);
	change_live(heap, held, -(int64_t)block->size);
}

void heap_put_back(struct heap *heap, const struct heap_block *block)
{
	put(heap, block);
}
