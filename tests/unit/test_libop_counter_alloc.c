// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_counter_alloc.c -- tests the assignment of events to hardware counters against an
 * exhaustive search.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <stdbool.h>

#include "libop/event/counter_alloc.h"

/* Search exhaustively: return whether each event from @event on can have a counter of its own. */
static bool is_possible(const uint64_t *allowed, size_t nr, size_t event, uint64_t available)
{
	if (event == nr)
		return true;
	for (int counter = 0; counter < OP_MAX_COUNTERS; counter++) {
		uint64_t bit = 1ULL << counter;

		if (allowed[event] & available & bit &&
		    is_possible(allowed, nr, event + 1, available & ~bit))
			return true;
	}
	return false;
}

static unsigned int popcount(uint64_t n)
{
	return __builtin_popcountll(n);
}

static void check_assignment(const int *counters, const uint64_t *allowed, size_t nr,
			     uint64_t available)
{
	uint64_t used = 0;

	for (size_t i = 0; i < nr; i++) {
		assert_in_range(counters[i], 0, OP_MAX_COUNTERS - 1);
		assert_true(allowed[i] & available & (1ULL << counters[i]));
		assert_false(used & (1ULL << counters[i]));
		used |= 1ULL << counters[i];
	}
}

/*
 * Check that the events reported as a clash need exactly one counter more than they can use, and
 * that the remaining events fit if any one of them is omitted.
 */
static void check_clash(const struct op_counter_clash *clash, const uint64_t *allowed, size_t nr,
			uint64_t available)
{
	uint64_t counters = 0, rest[OP_MAX_COUNTERS + 1];
	size_t n;

	for (size_t i = 0; i < clash->nr_events; i++) {
		assert_in_range(clash->events[i], i ? clash->events[i - 1] + 1 : 0, nr - 1);
		counters |= allowed[clash->events[i]] & available;
	}
	assert_int_equal(clash->counters, counters);
	assert_int_equal(clash->nr_events, popcount(counters) + 1);
	for (size_t i = 0; i < clash->nr_events; i++) {
		for (size_t j = n = 0; j < clash->nr_events; j++) {
			if (j != i)
				rest[n++] = allowed[clash->events[j]];
		}
		assert_true(is_possible(rest, n, 0, available));
	}
}

static void test_allocation_equals_exhaustive_search(void **state)
{
	unsigned int round, fits = 0, clashes = 0;

	(void)state;
	srandom(20);
	for (round = 0; round < 40000; round++) {
		size_t nr_counters = 1 + random() % 7, nr = random() % 8, i;
		uint64_t allowed[8], available = 0, where[7];
		struct op_counter_clash clash;
		int counters[8];

		/*
		 * General and fixed counters with random numbers, and events that can use few of
		 * them.
		 */
		for (i = 0; i < nr_counters; i++) {
			where[i] = 1ULL << (random() % 64);
			if (random() % 8)
				available |= where[i];
		}
		for (i = 0; i < nr; i++) {
			allowed[i] = where[random() % nr_counters];
			while (random() % 3)
				allowed[i] |= where[random() % nr_counters];
			if (!(random() % 40))
				allowed[i] = UINT64_MAX;
		}
		if (op_counter_alloc(counters, allowed, nr, available, &clash) == 0) {
			assert_true(is_possible(allowed, nr, 0, available));
			check_assignment(counters, allowed, nr, available);
			fits++;
		} else {
			assert_false(is_possible(allowed, nr, 0, available));
			check_clash(&clash, allowed, nr, available);
			clashes++;
		}
	}
	/* The random sets include both sets that fit and sets that do not fit. */
	assert_true(fits > 5000 && clashes > 5000);
}

static void test_events_are_moved_to_other_counters(void **state)
{
	const uint64_t allowed[] = { 0x3, 0x1 };
	struct op_counter_clash clash;
	int counters[2];

	(void)state;
	assert_int_equal(op_counter_alloc(counters, allowed, 2, 0x3, &clash), 0);
	assert_int_equal(counters[0], 1);
	assert_int_equal(counters[1], 0);
}

static void test_only_clashing_events_are_reported(void **state)
{
	const uint64_t allowed[] = { 0xf, 0x4, 0xf, 0x4 };
	struct op_counter_clash clash;
	int counters[4];

	(void)state;
	assert_int_equal(op_counter_alloc(counters, allowed, 4, 0xf, &clash), -EBUSY);
	assert_int_equal(clash.nr_events, 2);
	assert_int_equal(clash.events[0], 1);
	assert_int_equal(clash.events[1], 3);
	assert_int_equal(clash.counters, 0x4);
}

static void test_sixty_five_events(void **state)
{
	uint64_t allowed[OP_MAX_COUNTERS + 1];
	struct op_counter_clash clash;
	int counters[OP_MAX_COUNTERS + 1];

	(void)state;
	for (size_t i = 0; i <= OP_MAX_COUNTERS; i++)
		allowed[i] = UINT64_MAX;
	assert_int_equal(op_counter_alloc(counters, allowed, 64, UINT64_MAX, &clash), 0);
	check_assignment(counters, allowed, 64, UINT64_MAX);
	assert_int_equal(op_counter_alloc(counters, allowed, 65, UINT64_MAX, &clash), -EBUSY);
	assert_int_equal(clash.nr_events, 65);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_allocation_equals_exhaustive_search),
		cmocka_unit_test(test_events_are_moved_to_other_counters),
		cmocka_unit_test(test_only_clashing_events_are_reported),
		cmocka_unit_test(test_sixty_five_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
