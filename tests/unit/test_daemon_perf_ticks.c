// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_perf_ticks.c -- tests how long the rings of perf_events are read often. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/source/perf_ticks.h"

#define SECOND	1000ull
#define MINUTE	(60 * SECOND)

/* Adapt the timer once a second for @seconds seconds. In each second, @opened and @missed more files
 * are counted. Return the number of seconds in which the timer was quick. */
static unsigned int spend(struct opd_perf_ticks *t, uint64_t *now, unsigned int seconds, size_t opened, size_t missed)
{
	struct opd_files_apart apart = t->apart;
	unsigned int quick = 0;

	for (unsigned int i = 0; i < seconds; i++) {
		apart.opened += opened;
		apart.missed += missed;
		opd_perf_ticks_adapt(t, apart, *now);
		quick += t->period_ms == SECOND / OPD_QUICK_TICKS;
		*now += SECOND;
	}
	return quick;
}

/* One missed file makes the timer quick for a minute, and an opened file for another minute. */
static void test_files_make_timer_quick(void **state)
{
	struct opd_perf_ticks t;
	uint64_t now = MINUTE;

	(void)state;
	assert_int_equal(opd_perf_ticks_open(&t, false), 0);
	assert_int_equal(spend(&t, &now, 100, 0, 0), 0);
	assert_int_equal(spend(&t, &now, 1, 0, 1), 1);
	assert_int_equal(spend(&t, &now, 200, 0, 0), 59);
	assert_int_equal(spend(&t, &now, 1, 0, 1), 1);
	assert_int_equal(spend(&t, &now, 30, 0, 1), 30);
	assert_int_equal(spend(&t, &now, 1, 1, 0), 1);
	assert_int_equal(spend(&t, &now, 200, 0, 0), 59);
	opd_perf_ticks_close(&t);
}

/* Users cannot keep the timer quick for more than ten minutes in an hour. */
static void test_time_is_limited(void **state)
{
	(void)state;
	for (int opened = 0; opened < 2; opened++) {
		struct opd_perf_ticks t;
		uint64_t now = MINUTE;

		assert_int_equal(opd_perf_ticks_open(&t, false), 0);
		assert_in_range(spend(&t, &now, 240, opened, !opened), 240, 240);
		assert_in_range(spend(&t, &now, 3360, opened, !opened), 60, 360);
		for (int hour = 0; hour < 10; hour++)
			assert_in_range(spend(&t, &now, 3600, opened, !opened), 200, 310);
		/* An hour without such files fills the budget again, but not more. */
		assert_in_range(spend(&t, &now, 20000, 0, 0), 0, 60);
		assert_in_range(spend(&t, &now, 3600, opened, !opened), 300, 600);
		opd_perf_ticks_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_make_timer_quick),
		cmocka_unit_test(test_time_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
