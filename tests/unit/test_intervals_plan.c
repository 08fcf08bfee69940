// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_plan.c -- tests the plan, which decides which intervals are merged and deleted, by
 * simulating up to two years of ten-minute intervals.
 */
#include "config.h"
#include "intervals/plan.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/check.h"

#define HOUR	3600
#define DAY	(24 * HOUR)
#define YEAR	(365 * DAY)
#define BEGIN	1774000000	/* some days before daylight saving time starts in Berlin */

static const struct itv_plan_config usual = { 600, 2ll * YEAR, 150 << 20, false, 0 };

static int set_zone(void **state)
{
	(void)state;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	return 0;
}

static void test_steps_share_disk_space(void **state)
{
	struct itv_step steps[ITV_NR_STEPS];
	struct itv_plan_config config = usual;
	uint64_t bytes = 0;

	(void)state;
	itv_plan_steps(steps, &config);
	assert_int_equal(steps[0].nr, 144);
	assert_int_equal(steps[1].nr, 144);
	assert_int_equal(steps[2].nr, 83);
	assert_int_equal(steps[3].nr, 22);
	assert_int_equal(steps[3].to, 2ll * YEAR);
	for (int s = 0; s < ITV_NR_STEPS; s++) {
		assert_true(steps[s].max_bytes > 200000);
		bytes += steps[s].nr * steps[s].max_bytes;
	}
	assert_true(bytes <= config.max_bytes);
	assert_true(bytes >= config.max_bytes / 10 * 8);

	/*
	 * Steps (ranges of ages with intervals of the same length) end at the age --keep at the
	 * latest, and the remaining steps share the whole disk space.
	 */
	config.keep = 3 * DAY;
	itv_plan_steps(steps, &config);
	assert_int_equal(steps[1].to, 3 * DAY);
	assert_int_equal(steps[2].from, steps[2].to);
	assert_int_equal(steps[3].from, steps[3].to);
	assert_true(steps[0].max_bytes * 144 + steps[1].max_bytes * 48 >= config.max_bytes / 10 * 8);

	/* If intervals have a length of a week, the steps of hours and days are not used. */
	config = (struct itv_plan_config){ 7 * DAY, 2ll * YEAR, 150 << 20, false, 0 };
	itv_plan_steps(steps, &config);
	assert_int_equal(steps[0].to, 90 * DAY);
	assert_int_equal(steps[1].from, steps[1].to);
	assert_int_equal(steps[2].from, steps[2].to);
	assert_int_equal(steps[3].from, 90 * DAY);
}

static void test_steps_have_minimum_size(void **state)
{
	struct itv_plan_config config = usual;
	struct itv_step steps[ITV_NR_STEPS];

	(void)state;
	config.max_bytes = itv_plan_least_bytes(&usual, 5000) + 100;
	itv_plan_steps(steps, &config);
	for (int s = 0; s < ITV_NR_STEPS; s++)
		assert_true(steps[s].max_bytes >= 4990);
}

static void test_buckets_follow_local_time(void **state)
{
	int64_t begin, end;

	(void)state;
	/* The day 2026-10-25 in Berlin has 25 hours, because the hour from 02:00 to 03:00 occurs
	 * twice. */
	itv_plan_bucket(2, 1792879200 + 5 * HOUR, &begin, &end);
	assert_int_equal(begin, 1792879200);
	assert_int_equal(end, 1792879200 + 25 * HOUR);
	itv_plan_bucket(1, 1792879200 + 2 * HOUR + 60, &begin, &end);
	assert_int_equal(begin, 1792879200 + 2 * HOUR);
	itv_plan_bucket(1, 1792879200 + 3 * HOUR + 60, &begin, &end);
	assert_int_equal(begin, 1792879200 + 3 * HOUR);
	/* October 2026 begins at midnight in daylight saving time. */
	itv_plan_bucket(3, 1792879200 + 5 * HOUR, &begin, &end);
	assert_int_equal(begin, 1790805600);
	assert_int_equal(end, 1790805600 + 31 * DAY + HOUR);
}

/* A simulated store: a list of intervals without files. */
struct past {
	struct itv_list list;
	int64_t deleted_to;		/* end of the last deleted interval */
	unsigned long merges;
};

static int compare(const void *a, const void *b)
{
	const struct itv_entry *x = a, *y = b;

	return x->begin != y->begin ? x->begin < y->begin ? -1 : 1 :
	       x->end != y->end ? x->end < y->end ? -1 : 1 : (int)x->step - (int)y->step;
}

static void add(struct past *p, const struct itv_entry *entry)
{
	p->list.entries = reallocarray(p->list.entries, p->list.nr + 1, sizeof(*entry));
	p->list.entries[p->list.nr++] = *entry;
	qsort(p->list.entries, p->list.nr, sizeof(*entry), compare);
}

static void drop_parts(struct past *p, const struct itv_plan *plan)
{
	bool *is_part = calloc(p->list.nr, sizeof(*is_part));
	size_t kept = 0;

	for (size_t i = 0; i < plan->nr_parts; i++)
		is_part[plan->parts[i] - p->list.entries] = true;
	for (size_t i = 0; i < p->list.nr; i++)
		if (!is_part[i])
			p->list.entries[kept++] = p->list.entries[i];
	p->list.nr = kept;
	free(is_part);
}

/*
 * Execute all actions that the plan has at the time @now. A merged interval has the total size of
 * its parts, but at most the limit of its size.
 */
static void execute_plan(struct past *p, const struct itv_plan_config *config, int64_t now)
{
	for (;;) {
		struct itv_plan plan;
		uint64_t bytes = 0;

		assert_int_equal(itv_plan_next(&plan, config, &p->list, now), 0);
		if (plan.kind == ITV_PLAN_NOTHING) {
			itv_plan_release(&plan);
			return;
		}
		for (size_t i = 0; i < plan.nr_parts; i++) {
			bytes += plan.parts[i]->bytes;
			assert_int_equal(plan.parts[i]->kernel, plan.parts[0]->kernel);
			if (plan.kind == ITV_PLAN_DELETE && plan.parts[i]->end > p->deleted_to)
				p->deleted_to = plan.parts[i]->end;
			if (plan.kind == ITV_PLAN_DELETE)
				assert_true(plan.parts[i]->end <= now - DAY);
		}
		drop_parts(p, &plan);
		if (plan.kind == ITV_PLAN_SHRINK)
			assert_true(plan.max_bytes <= bytes / 2);
		if (plan.kind != ITV_PLAN_DELETE) {
			plan.result.bytes = bytes < plan.max_bytes ? bytes : plan.max_bytes;
			add(p, &plan.result);
			p->merges++;
		}
		itv_plan_release(&plan);
	}
}

/*
 * Check that every moment from the end of the last deleted interval to @now is in exactly one
 * interval.
 */
static void check_cover(const struct past *p, int64_t begin, int64_t now)
{
	int64_t at = p->deleted_to > begin ? p->deleted_to : begin;

	for (size_t i = 0; i < p->list.nr; i++) {
		assert_int_equal(p->list.entries[i].begin, at);
		at = p->list.entries[i].end;
	}
	assert_int_equal(at, now);
}

static uint64_t total_bytes(const struct past *p)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < p->list.nr; i++)
		bytes += p->list.entries[i].bytes;
	return bytes;
}

/* Simulate @days days of intervals of @each bytes, and execute the plan after each interval. */
static void simulate_days(struct past *p, const struct itv_plan_config *config, int64_t days,
			  uint64_t each)
{
	int64_t now = BEGIN / 600 * 600, begin = now, last = now + days * DAY;

	while (now < last) {
		struct itv_entry entry = { .begin = now, .end = now + config->interval, .bytes = each };

		now = entry.end;
		add(p, &entry);
		execute_plan(p, config, now);
		assert_true(total_bytes(p) <= config->max_bytes);
	}
	check_cover(p, begin, now);
}

static void test_two_months_are_merged_to_days(void **state)
{
	struct past p = { .deleted_to = 0 };

	(void)state;
	simulate_days(&p, &usual, 61, 300000);
	assert_int_equal(p.deleted_to, 0);
	/* The store has ten-minute intervals of a day, hours of six days, and days of the remaining
	 * time. */
	assert_in_range(p.list.nr, 144 + 143 + 53, 144 + 6 + 168 + 56);
	itv_list_release(&p.list);
}

static void test_old_intervals_are_deleted_after_a_year(void **state)
{
	struct past p = { .deleted_to = 0 };
	struct itv_plan_config config = { 2 * HOUR, 1ll * YEAR, 150 << 20, false, 0 };

	(void)state;
	simulate_days(&p, &config, 800, 100000);
	assert_true(p.deleted_to > 0);
	assert_true(p.list.entries[0].begin >= BEGIN + 800 * DAY - 1ll * YEAR - 32 * DAY);
	assert_int_equal(p.list.entries[0].step, 3);
	itv_list_release(&p.list);
}

/* If the intervals exceed the disk space, the oldest intervals are deleted, but no interval of the
 * last day. */
static void test_full_disk_deletes_oldest_intervals(void **state)
{
	struct past p = { .deleted_to = 0 };
	struct itv_plan_config config = { 600, 90 * DAY, 40 << 20, false, 0 };

	(void)state;
	/* simulate intervals that are never reduced, so that each exceeds its limit */
	simulate_days(&p, &config, 9, 250000);
	assert_true(p.list.entries[p.list.nr - 1].end - p.list.entries[0].begin >= DAY);
	itv_list_release(&p.list);
}

/* Add @nr intervals of ten minutes that end within a day. Return the end of the last interval. */
static int64_t make_last_day(struct past *p, int nr, uint64_t bytes)
{
	int64_t now = BEGIN / HOUR * HOUR;

	for (int i = 0; i < nr; i++, now += 600) {
		struct itv_entry entry = { .begin = now, .end = now + 600, .bytes = bytes };

		add(p, &entry);
	}
	return now;
}

/*
 * If the intervals of the last day exceed the disk space, they are merged to hours early, and no
 * interval is deleted.
 */
static void test_last_day_is_merged_early(void **state)
{
	const struct itv_plan_config config = { 600, 90 * DAY, 9 << 20, false, 0 };
	struct past p = { .deleted_to = 0 };
	int64_t now = make_last_day(&p, 140, 100000);
	struct itv_plan plan;

	(void)state;
	assert_int_equal(itv_plan_next(&plan, &config, &p.list, now), 0);
	assert_int_equal(plan.kind, ITV_PLAN_SHRINK);
	assert_int_equal(plan.nr_parts, 6);
	assert_int_equal(plan.result.step, 1);
	assert_int_equal(plan.result.begin, p.list.entries[0].begin);
	assert_int_equal(plan.result.end, p.list.entries[0].begin + HOUR);
	itv_plan_release(&plan);
	execute_plan(&p, &config, now);
	assert_true(p.merges > 0);
	assert_true(total_bytes(&p) <= config.max_bytes);
	check_cover(&p, BEGIN / HOUR * HOUR, now);
	itv_list_release(&p.list);
}

/* If no intervals can be merged, the largest interval is reduced first. */
static void test_largest_interval_is_reduced_first(void **state)
{
	const struct itv_plan_config config = { 600, 90 * DAY, 150000, false, 0 };
	struct past p = { .deleted_to = 0 };
	int64_t begin = BEGIN / HOUR * HOUR, now = begin + 3 * HOUR;
	struct itv_entry one = { .begin = begin, .end = begin + HOUR, .step = 2, .bytes = 60000 };
	struct itv_entry two = { .begin = begin + HOUR, .end = now, .step = 3, .bytes = 100000 };
	struct itv_plan plan;

	(void)state;
	add(&p, &one);
	add(&p, &two);
	assert_int_equal(itv_plan_next(&plan, &config, &p.list, now), 0);
	assert_int_equal(plan.kind, ITV_PLAN_SHRINK);
	assert_int_equal(plan.nr_parts, 1);
	assert_int_equal(plan.parts[0]->bytes, 100000);
	assert_int_equal(plan.result.step, 3);
	assert_int_equal(plan.max_bytes, 50000);
	itv_plan_release(&plan);
	execute_plan(&p, &config, now);
	assert_int_equal(p.list.nr, 2);
	check_cover(&p, begin, now);
	itv_list_release(&p.list);
}

/* The oldest interval of the last day is deleted only if no interval can be reduced further. */
static void test_oldest_interval_is_deleted_last(void **state)
{
	struct itv_plan_config config = { 600, 90 * DAY, 9 << 20, true, 0 };
	struct past p = { .deleted_to = 0 };
	int64_t now = make_last_day(&p, 140, 100000);
	struct itv_plan plan;

	(void)state;
	assert_int_equal(itv_plan_next(&plan, &config, &p.list, now), 0);
	assert_int_equal(plan.kind, ITV_PLAN_DELETE);
	assert_int_equal(plan.nr_parts, 1);
	assert_ptr_equal(plan.parts[0], &p.list.entries[0]);
	itv_plan_release(&plan);
	/* No further interval is deleted as soon as the remaining intervals fit into the disk
	 * space. */
	config.max_bytes = total_bytes(&p);
	assert_int_equal(itv_plan_next(&plan, &config, &p.list, now), 0);
	assert_int_equal(plan.kind, ITV_PLAN_NOTHING);
	itv_plan_release(&plan);
	itv_list_release(&p.list);
}

static void test_slots_follow_local_time(void **state)
{
	int64_t begin, end;

	(void)state;
	itv_plan_slot(600, BEGIN / 600 * 600 + 599, &begin, &end);
	assert_int_equal(begin, BEGIN / 600 * 600);
	assert_int_equal(end, begin + 600);
	/*
	 * Slots of six hours begin at local midnight, in winter (2026-01-15) and in summer
	 * (2026-07-15).
	 */
	itv_plan_slot(6 * HOUR, 1768431600 + HOUR, &begin, &end);
	assert_int_equal(begin, 1768431600);
	itv_plan_slot(6 * HOUR, 1784066400 + HOUR, &begin, &end);
	assert_int_equal(begin, 1784066400);
	/* Slots are also correct for times of a system clock that was never set, and for times
	 * before 1970. */
	itv_plan_slot(600, 60, &begin, &end);
	assert_int_equal(begin, 0);
	itv_plan_slot(600, -2 * HOUR - 1, &begin, &end);
	assert_int_equal(begin, -2 * HOUR - 600);
}

#define SLOT	(BEGIN / 600 * 600)

static void add_times(struct past *p, int64_t begin, int64_t end)
{
	struct itv_entry entry = { .begin = SLOT + begin, .end = SLOT + end, .bytes = 300000 };

	add(p, &entry);
}

/*
 * Check that at the time @now the plan merges the @nr intervals of the slot from @begin to @end;
 * @nr is 0: check that it merges nothing.
 */
static void check_slot(struct past *p, int64_t now, size_t nr, int64_t begin, int64_t end)
{
	struct itv_step steps[ITV_NR_STEPS];
	struct itv_plan plan;

	itv_plan_steps(steps, &usual);
	assert_int_equal(itv_plan_next(&plan, &usual, &p->list, SLOT + now), 0);
	assert_int_equal(plan.nr_parts, nr);
	assert_int_equal(plan.kind, nr ? ITV_PLAN_MERGE : ITV_PLAN_NOTHING);
	if (nr) {
		assert_int_equal(plan.result.step, 0);
		assert_int_equal(plan.result.begin, SLOT + begin);
		assert_int_equal(plan.result.end, SLOT + end);
		assert_int_equal(plan.max_bytes, steps[0].max_bytes);
	}
	itv_plan_release(&plan);
}

/*
 * Intervals that ended early are merged once, after their slot has ended and all of them are
 * packed. An interval that crosses the end of the slot belongs to the slot in which it begins.
 */
static void test_short_intervals_of_a_slot_are_merged(void **state)
{
	struct past p = { .deleted_to = 0 };

	(void)state;
	add_times(&p, 0, 120);
	add_times(&p, 120, 300);
	check_slot(&p, 599, 0, 0, 0);
	/* The last interval of the slot is still being written, so the slot is not merged. */
	check_slot(&p, 601, 0, 0, 0);
	add_times(&p, 300, 602);
	p.list.entries[2].is_session = true;
	check_slot(&p, 602, 0, 0, 0);
	p.list.entries[2].is_session = false;
	check_slot(&p, 602, 3, 0, 602);
	/* The next slot has not ended, so only the first is merged. */
	add_times(&p, 602, 700);
	add_times(&p, 700, 800);
	check_slot(&p, 800, 3, 0, 602);
	execute_plan(&p, &usual, SLOT + 800);
	assert_int_equal(p.merges, 1);
	assert_int_equal(p.list.nr, 3);
	check_slot(&p, 1200, 0, 0, 0);
	add_times(&p, 800, 1200);
	execute_plan(&p, &usual, SLOT + 1200);
	assert_int_equal(p.merges, 2);
	assert_int_equal(p.list.nr, 2);
	check_cover(&p, SLOT, SLOT + 1200);
	itv_list_release(&p.list);
}

/*
 * Intervals on both sides of a gap, of a step of the clock, of a change of the kernel or of a
 * damaged interval are not merged.
 */
static void test_gaps_prevent_merge(void **state)
{
	struct past p = { .deleted_to = 0 };

	(void)state;
	add_times(&p, 0, 120);
	add_times(&p, 130, 300);	/* begins after a gap */
	/* begins before the end of the preceding interval, because the clock was set back */
	add_times(&p, 250, 500);
	add_times(&p, 500, 600);
	check_slot(&p, 1000, 2, 250, 600);
	p.list.entries[3].kernel = 7;
	check_slot(&p, 1000, 0, 0, 0);
	p.list.entries[3].kernel = 0;
	p.list.entries[3].is_bad = true;
	check_slot(&p, 1000, 0, 0, 0);
	p.list.entries[3].is_bad = false;
	p.list.entries[3].step = 1;
	check_slot(&p, 1000, 0, 0, 0);
	itv_list_release(&p.list);
}

/*
 * Complete intervals of an earlier --interval setting are not merged when the setting becomes
 * longer.
 */
static void test_longer_interval_setting_keeps_old_intervals(void **state)
{
	struct itv_plan_config config = usual;
	struct past p = { .deleted_to = 0 };
	int64_t now = make_last_day(&p, 12, 100000), hour = BEGIN / HOUR * HOUR;

	(void)state;
	config.interval = HOUR;
	config.since = hour + 1;
	execute_plan(&p, &config, now);
	assert_int_equal(p.merges, 1);
	assert_int_equal(p.list.nr, 7);
	assert_int_equal(p.list.entries[6].begin, hour + HOUR);
	config.since = hour;
	execute_plan(&p, &config, now);
	assert_int_equal(p.list.nr, 2);
	itv_list_release(&p.list);
}

/*
 * On a busy machine, intervals end early because they become too large; the parts of a slot are
 * merged.
 */
static void test_parts_of_a_slot_are_merged(void **state)
{
	struct past p = { .deleted_to = 0 };
	struct itv_step steps[ITV_NR_STEPS];
	int64_t now = BEGIN / DAY * DAY, begin = now;
	size_t nr = 0;

	(void)state;
	itv_plan_steps(steps, &usual);
	while (now < begin + 3 * DAY) {
		static const int64_t ends[] = { 0, 97, 240, 355, 472, 600 };

		for (int i = 1; i < 6; i++) {
			struct itv_entry entry = {
				.begin = now + ends[i - 1], .end = now + ends[i],
				.bytes = steps[0].max_bytes,
			};

			add(&p, &entry);
			execute_plan(&p, &usual, entry.end);
		}
		now += 600;
		assert_true(total_bytes(&p) <= usual.max_bytes);
	}
	assert_int_equal(p.deleted_to, 0);
	check_cover(&p, begin, now);
	for (size_t i = 0; i < p.list.nr; i++)
		nr += !p.list.entries[i].step;
	assert_in_range(nr, 144, 149);
	itv_list_release(&p.list);
}

static void test_kernels_are_not_merged(void **state)
{
	struct past p = { .deleted_to = 0 };
	int64_t now = BEGIN / 600 * 600;

	(void)state;
	for (int i = 0; i < 12; i++) {
		struct itv_entry entry = {
			.begin = now, .end = now + 600, .bytes = 1000, .kernel = (uint32_t)(i & 1) + 1,
		};

		add(&p, &entry);
		now += 600;
	}
	execute_plan(&p, &usual, now + 3 * DAY);
	for (size_t i = 0; i < p.list.nr; i++)
		assert_int_equal(p.list.entries[i].step, 1);
	assert_in_range(p.list.nr, 4, 6);	/* two or three hours, each with two kernels */
	itv_list_release(&p.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps_share_disk_space),
		cmocka_unit_test(test_steps_have_minimum_size),
		cmocka_unit_test(test_buckets_follow_local_time),
		cmocka_unit_test(test_two_months_are_merged_to_days),
		cmocka_unit_test(test_old_intervals_are_deleted_after_a_year),
		cmocka_unit_test(test_full_disk_deletes_oldest_intervals),
		cmocka_unit_test(test_last_day_is_merged_early),
		cmocka_unit_test(test_largest_interval_is_reduced_first),
		cmocka_unit_test(test_oldest_interval_is_deleted_last),
		cmocka_unit_test(test_slots_follow_local_time),
		cmocka_unit_test(test_short_intervals_of_a_slot_are_merged),
		cmocka_unit_test(test_gaps_prevent_merge),
		cmocka_unit_test(test_longer_interval_setting_keeps_old_intervals),
		cmocka_unit_test(test_parts_of_a_slot_are_merged),
		cmocka_unit_test(test_kernels_are_not_merged),
	};

	return cmocka_run_group_tests(tests, set_zone, NULL);
}
