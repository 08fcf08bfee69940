// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_module_cost.c -- what sampling costs where time is stolen (module/cost.h).
 */
#include "config.h"

#include "unit/check.h"

#include "cost.h"

#define MANY	100000
#define THEFT	200000

static u64 state;

static u32 below(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 20) % n;
}

/* Costs of 200 and of @dear, which are @eighths of them; one in @thefts is hit by a theft. In percent of the truth. */
static u32 judged(u32 dear, u32 eighths, u32 thefts, bool stealing)
{
	struct oprofile_cost cost = { .nr = 0 };
	u64 truth = 0, sum = 0;
	u32 i;

	state = 1;
	for (i = 0; i < MANY; i++) {
		u32 cycles = below(8) < eighths ? dear : 200;

		truth += cycles;
		if (thefts && below(thefts) == 0)
			cycles += THEFT;
		sum += oprofile_cost_of(&cost, cycles, stealing);
	}
	return sum * 100 / truth;
}

static void dear_ones_count(void **unused)
{
	u32 eighths;

	(void)unused;
	assert_int_equal(judged(200, 0, 0, true), 100);
	for (eighths = 1; eighths <= 8; eighths++) {
		assert_in_range(judged(1000, eighths, 0, true), 60, 101);
		assert_in_range(judged(2000, eighths, 0, true), 60, 101);
	}
}

static void what_is_stolen_does_not(void **unused)
{
	u32 eighths;

	(void)unused;
	for (eighths = 0; eighths <= 8; eighths++) {
		assert_in_range(judged(2000, eighths, 100, true), 60, 110);
		assert_in_range(judged(2000, eighths, 8, true), 60, 160);
	}
}

/* Where nobody steals, all of it is ours. */
static void without_hypervisor_all_counts(void **unused)
{
	(void)unused;
	assert_int_equal(judged(2000, 4, 0, false), 100);
	assert_in_range(judged(200, 0, 8, false), 10000, 15000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dear_ones_count),
		cmocka_unit_test(what_is_stolen_does_not),
		cmocka_unit_test(without_hypervisor_all_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
