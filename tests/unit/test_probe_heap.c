// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_probe_heap.c -- tests the heap profiler's table of allocated blocks against a plain list,
 * and the bytes of each call path at the peak of the heap.
 */
#include "config.h"
#include "probe/core/heap.h"

#include "tests/unit/check.h"

/* number of metrics before and after the metrics of the heap */
#define FIRST	3
#define METRICS	(FIRST + RAW_LIVE_NR_HEAP + 1)
#define NODES	8
#define PLACES	20000
#define TURNS	1000000
#define THREADS	500

static uint32_t filter[FILTER_SIZE];
static uint32_t nr_threads = 1;

static uint64_t random64(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static struct raw_live_node *new_node(void)
{
	struct raw_live_node *n = calloc(1, sizeof(*n) + 8 * METRICS);

	assert_non_null(n);
	return n;
}

static void test_block_table_equals_list(void **state)
{
	static uint64_t sizes[PLACES];		/* size of each block; 0: not allocated */
	static uint8_t owners[PLACES];
	static struct heap heap;
	struct raw_live_run run = { .nr_metrics = METRICS };
	struct raw_live_node *nodes[NODES];
	uint64_t seed = 7, freed[NODES] = { 0 }, allocated[NODES] = { 0 }, live = 0;

	(void)state;
	for (int i = 0; i < NODES; i++)
		nodes[i] = new_node();
	memset(filter, 0, sizeof(filter));
	heap_begin(&heap, &run, FIRST, 0, filter, &nr_threads);
	for (int turn = 0; turn < TURNS; turn++) {
		/*
		 * At the beginning and at the end, use only few addresses, so that the table
		 * becomes both full and empty.
		 */
		uint64_t places = turn < TURNS / 2 ? 1 + turn / (TURNS / 2 / PLACES) : PLACES;
		uint64_t k = random64(&seed) % places;
		const void *at = (void *)(uintptr_t)(0x10000 + 16 * k * (k % 3 ? 1 : 4096));
		struct heap_block block;

		if (at == (void *)0x10000)
			continue;
		assert_int_equal(heap_remove(&heap, at, &block), sizes[k] != 0);
		if (sizes[k]) {
			assert_int_equal(block.size, sizes[k]);
			assert_ptr_equal(block.node, nodes[owners[k]]);
			if (random64(&seed) % 8 == 0) {
				heap_put_back(&heap, &block);
				continue;
			}
			heap_freed(&heap, NULL, &block, false);
			freed[owners[k]] += sizes[k];
			live -= sizes[k];
			sizes[k] = 0;
		} else if (turn < TURNS * 3 / 4) {
			sizes[k] = 1 + random64(&seed) % 1000;
			owners[k] = random64(&seed) % NODES;
			heap_add(&heap, NULL, at, sizes[k], 1, nodes[owners[k]]);
			allocated[owners[k]] += sizes[k];
			live += sizes[k];
		}
	}
	assert_int_equal(heap.live, live);
	for (int i = 0; i < NODES; i++) {
		assert_int_equal(nodes[i]->metrics[FIRST + RAW_LIVE_ALLOCATED], allocated[i]);
		assert_int_equal(nodes[i]->metrics[FIRST + RAW_LIVE_FREED], freed[i]);
		free(nodes[i]);
	}
}

/*
 * Bytes at the peak are counted for the call path that allocated the blocks of the peak, even if
 * other paths allocate later.
 */
static void test_peak_is_counted_for_its_path(void **state)
{
	static struct heap heap;
	struct raw_live_run run = { .nr_metrics = METRICS };
	struct raw_live_node *first = new_node(), *second = new_node();
	struct heap_block block;

	(void)state;
	memset(filter, 0, sizeof(filter));
	heap_begin(&heap, &run, FIRST, 0, filter, &nr_threads);
	heap_add(&heap, NULL, (void *)0x1000, 300, 1, second);
	for (uintptr_t i = 1; i <= 1000; i++)
		heap_add(&heap, NULL, (void *)(0x10000 + 16 * i), 1000, 1, first);
	for (uintptr_t i = 1; i <= 1000; i++) {
		assert_true(heap_remove(&heap, (void *)(0x10000 + 16 * i), &block));
		heap_freed(&heap, NULL, &block, false);
	}
	for (uintptr_t i = 1; i <= 500; i++)
		heap_add(&heap, NULL, (void *)(0x10000 + 16 * i), 1000, 1, second);
	assert_in_range(first->metrics[FIRST + RAW_LIVE_PEAK], 990000, 1000000);
	assert_int_equal(second->metrics[FIRST + RAW_LIVE_PEAK], 300);
	assert_in_range(heap.peak, 990000, 1000300);
	free(first);
	free(second);
}

/*
 * The total peak of many threads is exact to 1 %, although each thread delays adding its
 * allocations to the total. The maximum delayed amount decreases as threads are added.
 */
static void test_peak_of_threads(void **state)
{
	static struct heap heap;
	struct raw_live_run run = { .nr_metrics = METRICS };
	struct raw_live_node *node = new_node();
	uint64_t *metrics = &node->metrics[FIRST], truth = 1000000000;
	int64_t held[THREADS] = { 0 };
	uintptr_t at = 0x10000;

	(void)state;
	memset(filter, 0, sizeof(filter));
	heap_begin(&heap, &run, FIRST, 0, filter, &nr_threads);
	heap_add(&heap, NULL, (void *)at, truth, 1, node);
	for (nr_threads = 1; nr_threads <= THREADS; nr_threads++)
		for (int i = 0; i < 7; i++, truth += 4000)
			assert_true(heap_add(&heap, &held[nr_threads - 1], (void *)(at += 16), 4000, 1, node));
	nr_threads = 1;
	/* Update the node's peak in the way in which a reader of the file does. */
	if (metrics[RAW_LIVE_GENERATION] != run.generation)
		metrics[RAW_LIVE_PEAK] = metrics[RAW_LIVE_ALLOCATED] - metrics[RAW_LIVE_FREED];
	assert_in_range(metrics[RAW_LIVE_PEAK], truth - truth / 100, truth);
	assert_in_range(heap.live, truth - truth / 500, truth);
	free(node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_block_table_equals_list),
		cmocka_unit_test(test_peak_is_counted_for_its_path),
		cmocka_unit_test(test_peak_of_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
