// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_search.c -- tests binary search against linear search, for every position in small
 * arrays.
 */
#include "config.h"
#include "libop/base/search.h"

#include "tests/unit/check.h"

/*
 * Fill @items with @nr numbers in ascending order. The differences of neighbours are the base-3
 * digits of @code.
 */
static void make_sorted(int *items, size_t nr, unsigned int code)
{
	int value = 0;

	for (size_t i = 0; i < nr; i++, code /= 3)
		items[i] = value += code % 3;
}

static size_t search_linearly(const int *items, size_t nr, int wanted)
{
	size_t i = 0;

	while (i < nr && items[i] < wanted)
		i++;
	return i;
}

static void test_binary_search_equals_linear_search(void **state)
{
	unsigned int codes = 1;
	int items[8];

	(void)state;

	for (size_t nr = 0; nr <= 8; nr++, codes *= 3) {
		for (unsigned int code = 0; code < codes; code++) {
			make_sorted(items, nr, code);
			for (int wanted = -1; wanted <= 17; wanted++) {
				assert_int_equal(op_partition_point(i, nr, items[i] < wanted),
						 search_linearly(items, nr, wanted));
				assert_int_equal(op_partition_point(i, nr, items[i] <= wanted),
						 search_linearly(items, nr, wanted + 1));
			}
		}
	}
}

static void test_few_elements_are_compared(void **state)
{
	const size_t nr = 1000000;
	unsigned int looks = 0;

	(void)state;

	assert_int_equal(op_partition_point(i, nr, (looks++, assert_true(i < nr), i < 777777)), 777777);
	assert_true(looks <= 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_binary_search_equals_linear_search),
		cmocka_unit_test(test_few_elements_are_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
