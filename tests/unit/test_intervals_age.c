// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_age.c -- tests the clock by which the store of intervals (profiles of a span of
 * time) computes ages: a wrong system time deletes no interval.
 */
#include "config.h"
#include "intervals/age.h"

#include "intervals/plan.h"
#include "tests/unit/check.h"

#define BEGIN	1774000800	/* 2026-03-20 10:00:00 UTC */
#define HOUR	3600
#define DAY	(24 * HOUR)
#define YEAR	(365 * DAY)

/*
 * Set the system clock to @time, @seconds after the boot, and return the time by which ages are
 * computed.
 */
static int64_t age_clock_at(struct itv_age *age, uint64_t seconds, int64_t time)
{
	return itv_age_now(age, &(struct itv_moment){ time, seconds * 1000 });
}

static void test_corrected_clock_is_trusted(void **state)
{
	struct itv_age age;

	(void)state;
	itv_age_init(&age, BEGIN, 0);
	for (int i = 0; i < 1000; i++) {
		/* The system clock is wrong by some seconds a day, and is corrected regularly. */
		int64_t time = BEGIN + i * (HOUR - 1);

		assert_true(age_clock_at(&age, (uint64_t)i * HOUR, time) == time);
	}
}

/* While the system clock is three years ahead for an hour, the ages' clock stays correct. */
static void test_clock_ahead_is_ignored(void **state)
{
	struct itv_age age;

	(void)state;
	itv_age_init(&age, BEGIN, 0);
	assert_true(age_clock_at(&age, 60, BEGIN + 60) == BEGIN + 60);
	assert_true(age_clock_at(&age, 120, BEGIN + 120 + 3 * YEAR) == BEGIN + 120);
	assert_true(age_clock_at(&age, HOUR, BEGIN + HOUR + 3 * YEAR) == BEGIN + HOUR);
	assert_true(age_clock_at(&age, HOUR + 60, BEGIN + HOUR + 60) == BEGIN + HOUR + 60);
}

/*
 * A new system time is trusted only after a day without a further step; another step starts another
 * day.
 */
static void test_new_time_is_trusted_after_a_day(void **state)
{
	struct itv_age age;

	(void)state;
	itv_age_init(&age, BEGIN, 0);
	assert_true(age_clock_at(&age, HOUR, BEGIN + HOUR + YEAR) == BEGIN + HOUR);
	assert_true(age_clock_at(&age, 20 * HOUR,
				 BEGIN + 20 * HOUR + 2 * YEAR) == BEGIN + 20 * HOUR);
	assert_true(age_clock_at(&age, 26 * HOUR,
				 BEGIN + 26 * HOUR + 2 * YEAR) == BEGIN + 26 * HOUR);
	assert_true(age_clock_at(&age, 45 * HOUR,
				 BEGIN + 45 * HOUR + 2 * YEAR) == BEGIN + 45 * HOUR + 2 * YEAR);
	/* If the system clock is set back to the correct time, this time is trusted at once. */
	assert_true(age_clock_at(&age, 46 * HOUR, BEGIN + 46 * HOUR) == BEGIN + 46 * HOUR);
}

/*
 * If a system clock without a battery starts in 1970 and is set a minute later, it is trusted as
 * soon as it is set.
 */
static void test_unset_clock_is_trusted_once_set(void **state)
{
	struct itv_age age;

	(void)state;
	itv_age_init(&age, BEGIN, 1000);
	assert_true(age_clock_at(&age, 10, 10) == 10);
	assert_true(age_clock_at(&age, 60, BEGIN + 600) == BEGIN + 600);
}

static void add_entry(struct itv_list *list, int64_t begin, int64_t end)
{
	list->entries[list->nr++] = (struct itv_entry){ .begin = begin, .end = end };
}

/*
 * A daemon that starts while the system time is wrong computes ages from the intervals that are
 * already in the store.
 */
static void test_age_is_computed_from_stored_intervals(void **state)
{
	struct itv_entry entries[10];
	struct itv_list list = { .entries = entries };

	(void)state;
	assert_true(itv_age_of_list(&list, 5) == 5);
	add_entry(&list, BEGIN, BEGIN + HOUR);
	assert_true(itv_age_of_list(&list, 5) == BEGIN + HOUR);
	add_entry(&list, BEGIN + 3 * DAY, BEGIN + 3 * DAY + HOUR);
	assert_true(itv_age_of_list(&list, 5) == BEGIN + 3 * DAY + HOUR);
	add_entry(&list, BEGIN + YEAR, BEGIN + YEAR + HOUR);
	add_entry(&list, BEGIN + YEAR + 2 * HOUR, BEGIN + YEAR + 3 * HOUR);
	assert_true(itv_age_of_list(&list, 5) == BEGIN + 3 * DAY + HOUR);
	add_entry(&list, BEGIN + YEAR + 23 * HOUR, BEGIN + YEAR + 24 * HOUR);
	assert_true(itv_age_of_list(&list, 5) == BEGIN + YEAR + DAY);
	add_entry(&list, BEGIN + 2 * YEAR, BEGIN + 2 * YEAR + HOUR);
	assert_true(itv_age_of_list(&list, 5) == BEGIN + YEAR + DAY);
	/*
	 * If a daemon runs only for some hours each month, its times are trusted after a day of run
	 * time in total.
	 */
	add_entry(&list, BEGIN + 2 * YEAR + 30 * DAY, BEGIN + 2 * YEAR + 30 * DAY + 12 * HOUR);
	assert_true(itv_age_of_list(&list, 5) == BEGIN + YEAR + DAY);
	add_entry(&list, BEGIN + 2 * YEAR + 60 * DAY, BEGIN + 2 * YEAR + 60 * DAY + 11 * HOUR);
	assert_true(itv_age_of_list(&list, 5) == BEGIN + 2 * YEAR + 60 * DAY + 11 * HOUR);
}

static void test_untrusted_time_deletes_no_interval(void **state)
{
	const struct itv_plan_config config = {
		.interval = HOUR, .keep = 2 * YEAR, .max_bytes = 200 << 20,
	};
	struct itv_entry entries[3];
	struct itv_list list = { .entries = entries, .nr = 3 };
	struct itv_plan plan;
	struct itv_age age;

	(void)state;
	for (int i = 0; i < 3; i++) {
		entries[i] = (struct itv_entry){
			.begin = BEGIN + i * HOUR, .end = BEGIN + (i + 1) * HOUR, .bytes = 9000,
		};
		itv_name(entries[i].name, &entries[i]);
	}
	itv_age_init(&age, BEGIN + 3 * HOUR, 0);
	assert_int_equal(itv_plan_next(&plan, &config, &list,
				       age_clock_at(&age, 60, BEGIN + 3 * HOUR + 3 * YEAR)), 0);
	assert_int_equal(plan.kind, ITV_PLAN_NOTHING);
	itv_plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corrected_clock_is_trusted),
		cmocka_unit_test(test_clock_ahead_is_ignored),
		cmocka_unit_test(test_new_time_is_trusted_after_a_day),
		cmocka_unit_test(test_unset_clock_is_trusted_once_set),
		cmocka_unit_test(test_age_is_computed_from_stored_intervals),
		cmocka_unit_test(test_untrusted_time_deletes_no_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
