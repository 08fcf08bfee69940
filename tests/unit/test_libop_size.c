// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_size.c -- tests the parser of sizes such as 200M.
 */
#include "config.h"
#include "libop/base/size.h"

#include <errno.h>

#include "tests/unit/check.h"

static void test_sizes_are_parsed(void **state)
{
	static const struct { const char *text; uint64_t bytes; } good[] = {
		{ "0", 0 }, { "4096", 4096 }, { "64K", 65536 }, { "64k", 65536 }, { "3M", 3 << 20 }, { "1G", 1 << 30 },
		{ "18446744073709551615", UINT64_MAX }, { "17179869183G", UINT64_MAX - (1 << 30) + 1 },
	};
	uint64_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(op_size_parse(&n, good[i].text), 0);
		assert_int_equal(n, good[i].bytes);
	}
}

static void test_invalid_sizes_are_refused(void **state)
{
	static const struct { const char *text; int err; } bad[] = {
		{ "", -EINVAL }, { "K", -EINVAL }, { "-1", -EINVAL }, { " 1", -EINVAL }, { "1T", -EINVAL },
		{ "1KB", -EINVAL }, { "1.5M", -EINVAL }, { "0x10", -EINVAL },
		{ "18446744073709551616", -ERANGE }, { "17179869184G", -ERANGE },
	};
	uint64_t n = 42;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(op_size_parse(&n, bad[i].text), bad[i].err);
		assert_int_equal(n, 42);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_are_parsed),
		cmocka_unit_test(test_invalid_sizes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
