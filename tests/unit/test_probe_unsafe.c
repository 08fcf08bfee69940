// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_probe_unsafe.c -- tests the table of code that must not be sampled (unsafe code) against a
 * map with an entry for every address.
 */
#include "config.h"
#include "probe/core/unsafe.h"

#include <pthread.h>

#include "tests/unit/check.h"

#define SPACE	200

enum { NOTHING, OWN, NAMED };

static uint64_t random64(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void change_range(struct unsafe *unsafe, unsigned char map[SPACE], uint64_t start,
			 uint64_t end, int to)
{
	int err = to ? unsafe_add(unsafe, start, end, to == OWN ? UNSAFE_OWN : UNSAFE_NAMED) : unsafe_remove(unsafe, start, end);

	assert_int_equal(err, 0);
	for (uint64_t i = start; i < end; i++)
		if (to == OWN || map[i] != OWN)
			map[i] = to;
}

static void check(const struct unsafe *unsafe, const unsigned char map[SPACE])
{
	for (uint64_t i = 0; i < SPACE; i++) {
		struct unsafe_gap gap = { 0, 0 };
		const struct unsafe_range *r = unsafe_find_or_gap(unsafe, i, &gap);

		assert_true(r || i - gap.start < gap.size);
		for (uint64_t at = gap.start; at < SPACE && at - gap.start < gap.size; at++)
			assert_int_equal(map[at], NOTHING);
		assert_int_equal(!r ? NOTHING : r->why == UNSAFE_OWN ? OWN : NAMED, map[i]);
		assert_true(!r || (r->start <= i && i < r->end));
	}
}

static void test_ranges_equal_array_model(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct unsafe unsafe = { NULL, NULL };
		unsigned char map[SPACE] = { 0 };

		check(&unsafe, map);
		for (int i = 0; i < 20; i++) {
			uint64_t start = random64(&seed) % SPACE, end = start + random64(&seed) % (SPACE - start + 1);

			change_range(&unsafe, map, start, end, random64(&seed) % 5 / 2);
			check(&unsafe, map);
		}
	}
}

/* If the same set of names is added repeatedly, the names share a single table. */
static void test_repeated_names_share_one_table(void **state)
{
	struct unsafe unsafe = { NULL, NULL };
	struct unsafe_ranges *with, *without;

	(void)state;
	assert_int_equal(unsafe_add(&unsafe, 100, 200, UNSAFE_OWN), 0);
	without = unsafe.now;
	assert_int_equal(unsafe_add(&unsafe, 300, 400, UNSAFE_NAMED), 0);
	with = unsafe.now;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(unsafe_remove(&unsafe, 250, 450), 0);
		assert_ptr_equal(unsafe.now, without);
		assert_int_equal(unsafe_add(&unsafe, 300, 400, UNSAFE_NAMED), 0);
		assert_ptr_equal(unsafe.now, with);
	}
	assert_int_equal(unsafe_remove(&unsafe, 0, 250), 0);
	assert_ptr_equal(unsafe.now, with);
}

#define THREADS	4
#define OF_EACH	200

static struct unsafe shared;

/*
 * Thread function: add, find and remove addresses that only this thread uses and that lie between
 * addresses of other threads.
 */
static void *add_and_remove_names(void *number)
{
	for (uint64_t i = 0; i < OF_EACH; i++) {
		uint64_t at = i * THREADS + (uintptr_t)number;

		if (unsafe_add(&shared, at, at + 1, UNSAFE_NAMED) || !unsafe_find(&shared, at))
			return NULL;
		if (i % 2 && (unsafe_remove(&shared, at, at + 1) || unsafe_find(&shared, at)))
			return NULL;
	}
	return number;
}

static void test_concurrent_changes_are_consistent(void **state)
{
	pthread_t threads[THREADS];
	void *ret;

	(void)state;
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_and_remove_names,
						(void *)(i + 1)), 0);
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &ret);
		assert_ptr_equal(ret, (void *)(i + 1));
	}
	for (uint64_t at = 1; at <= THREADS * OF_EACH; at++)
		assert_int_equal(!unsafe_find(&shared, at), (at - 1) / THREADS % 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges_equal_array_model),
		cmocka_unit_test(test_repeated_names_share_one_table),
		cmocka_unit_test(test_concurrent_changes_are_consistent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
