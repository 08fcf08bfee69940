// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_module_cost.c -- tests the measured cost of sampling if a hypervisor steals time
 * (module/cost.h).
 */
#include "config.h"

#include "unit/check.h"

#include "cost.h"

#define MANY	100000
#define THEFT	200000

static u64 state;

static u32 random_below(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 20) % n;
}

/*
 * Pass samples to the estimator that cost @dear cycles in @eighths of 8 cases and otherwise 200
 * cycles. The hypervisor steals time during one of @thefts samples. Return the estimated sum in
 * percent of the true sum.
 */
static u32 estimate_percent(u32 dear, u32 eighths, u32 thefts, bool stealing)
{
	struct oprofile_cost cost = { .nr = 0 };
	u64 truth = 0, sum = 0;
	u32 i;

	state = 1;
	for (i = 0; i < MANY; i++) {
		u32 cycles = random_below(8) < eighths ? dear : 200;

		truth += cycles;
		if (thefts && random_below(thefts) == 0)
			cycles += THEFT;
		sum += oprofile_cost_of(&cost, cycles, stealing);
	}
	return sum * 100 / truth;
}

static void expensive_samples_are_estimated(void **unused)
{
	u32 eighths;

	(void)unused;
	assert_int_equal(estimate_percent(200, 0, 0, true), 100);
	for (eighths = 1; eighths <= 8; eighths++) {
		assert_in_range(estimate_percent(1000, eighths, 0, true), 60, 101);
		assert_in_range(estimate_percent(2000, eighths, 0, true), 60, 101);
	}
}

static void stolen_time_is_excluded(void **unused)
{
	u32 eighths;

	(void)unused;
	for (eighths = 0; eighths <= 8; eighths++) {
		assert_in_range(estimate_percent(2000, eighths, 100, true), 60, 110);
		assert_in_range(estimate_percent(2000, eighths, 8, true), 60, 160);
	}
}

/* Evaluate windows of 100 look-ups. One look-up in @rare costs @dear cycles, and the hypervisor
 * steals time during @thefts of 100 look-ups. Return the estimated sum in percent of the true
 * sum. */
static u32 estimate_lookups_percent(u32 dear, u32 rare, u32 thefts, bool stealing)
{
	struct oprofile_lookup_cost cost = { };
	u64 truth = 0, sum = 0;
	u32 i;

	state = 1;
	for (i = 0; i < MANY; i++) {
		u32 cycles = rare && random_below(rare) == 0 ? dear : 200;

		truth += cycles;
		if (random_below(100) < thefts)
			cycles += THEFT;
		sum += oprofile_lookup_cost_of(&cost, cycles, i / 100, stealing);
	}
	return sum * 100 / truth;
}

/* The estimated sum includes look-ups that cost a hundred times as much as others. */
static void expensive_lookups_are_estimated(void **unused)
{
	u32 rare;

	(void)unused;
	assert_int_equal(estimate_lookups_percent(0, 0, 0, true), 100);
	for (rare = 1; rare <= 4; rare++) {
		assert_in_range(estimate_lookups_percent(20000, rare, 0, true), 60, 101);
		assert_in_range(estimate_lookups_percent(1000, rare, 0, true), 60, 101);
	}
	assert_in_range(estimate_lookups_percent(20000, 4, 2, true), 60, 101);
	assert_int_equal(estimate_lookups_percent(20000, 4, 0, false), 100);
}

static void stolen_time_of_lookups_is_excluded(void **unused)
{
	(void)unused;
	assert_in_range(estimate_lookups_percent(0, 0, 2, true), 90, 150);
	assert_in_range(estimate_lookups_percent(1000, 2, 2, true), 60, 150);
}

static void all_time_counts_without_hypervisor(void **unused)
{
	(void)unused;
	assert_int_equal(estimate_percent(2000, 4, 0, false), 100);
	assert_in_range(estimate_percent(200, 0, 8, false), 10000, 15000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expensive_samples_are_estimated),
		cmocka_unit_test(stolen_time_is_excluded),
		cmocka_unit_test(expensive_lookups_are_estimated),
		cmocka_unit_test(stolen_time_of_lookups_is_excluded),
		cmocka_unit_test(all_time_counts_without_hypervisor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
