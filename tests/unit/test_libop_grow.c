// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_grow.c -- tests that growing arrays keep their elements, also after the number of
 * elements was reduced.
 */
#include "config.h"
#include "libop/base/grow.h"

#include <malloc.h>

#include "tests/unit/check.h"

static void test_growing_keeps_elements(void **state)
{
	unsigned int *items = NULL;
	size_t nr;

	(void)state;
	for (nr = 0; nr < 5000; nr++) {
		assert_int_equal(op_grow(&items, nr), 0);
		assert_true(malloc_usable_size(items) >= (nr + 1) * sizeof(*items));
		items[nr] = nr;
	}
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(items[i], i);
	free(items);
}

static void test_shrunk_array_can_grow(void **state)
{
	unsigned int *items = NULL;
	size_t nr = 0;

	(void)state;
	for (size_t most = 1; most <= 300; most++) {
		nr /= 3;
		for (; nr < most; nr++) {
			assert_int_equal(op_grow(&items, nr), 0);
			assert_true(malloc_usable_size(items) >= (nr + 1) * sizeof(*items));
			items[nr] = nr;
		}
		for (size_t i = 0; i < nr; i++)
			assert_int_equal(items[i], i);
	}
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growing_keeps_elements),
		cmocka_unit_test(test_shrunk_array_can_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
