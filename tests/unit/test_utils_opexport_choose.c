// SPDX-License-Identifier: GPL-2.0-or-later
/* test_utils_opexport_choose.c -- the choice of the next interval while the daemon merges others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "utils/opexport/choose.h"

#define T0	1793527200	/* Sun Nov  1 10:00:00 2026 UTC, the begin of an hour */
#define LATER	(T0 + 100000)

/* Make an entry that begins @begin minutes after T0 and takes @minutes. */
static struct itv_entry make(int begin, int minutes, unsigned int step, bool is_session)
{
	struct itv_entry e = { .begin = T0 + 60 * begin, .end = T0 + 60 * (begin + minutes), .step = step,
			       .is_session = is_session };

	itv_name(e.name, &e);
	return e;
}

static int find_merged(void *arg, const struct itv_entry *entry)
{
	const char *name = arg;

	int result = 0;

	if (name && !strcmp(name, entry->name))
		result = 1;
	return result;
}

static enum export_kind choose(struct itv_entry *entries, size_t nr, const struct export_progress *p,
			       int64_t now, const char *merged_name, const struct itv_entry **entry)
{
	const struct itv_list list = { .entries = entries, .nr = nr };
	struct export_choice choice;

	assert_int_equal(export_choose(&choice, &list, p, now, EXPORT_SETTLES, find_merged,
				       (void *)merged_name), 0);
	*entry = choice.entry;
	return choice.kind;
}

static void oldest_first(void **state)
{
	struct itv_entry e[] = { make(0, 10, 0, false), make(10, 10, 0, false), make(20, 10, 0, false) };
	struct export_progress p = { .until = INT64_MIN };
	const struct itv_entry *entry;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(choose(e, 3, &p, LATER, NULL, &entry), EXPORT_SEND);
		assert_ptr_equal(entry, &e[i]);
		assert_int_equal(export_progress_add(&p, entry), 0);
	}
	assert_int_equal(choose(e, 3, &p, LATER, NULL, &entry), EXPORT_NOTHING);
	export_progress_release(&p);
}

/* An interval is not sent yet if it has just ended, or if the daemon may still merge it. */
static void waits(void **state)
{
	struct itv_entry e[] = { make(0, 10, 0, false), make(10, 4, 0, false), make(14, 6, 0, false) };
	struct export_progress p = { .until = T0 + 600 };
	const struct itv_entry *entry;

	(void)state;
	p.names_since = T0 + 600;
	assert_int_equal(choose(e, 1, &(struct export_progress){ .until = INT64_MIN }, T0 + 610, NULL,
				&entry), EXPORT_NOTHING);
	assert_int_equal(choose(e, 2, &p, T0 + 15 * 60, NULL, &entry), EXPORT_NOTHING);
	assert_int_equal(choose(e, 3, &p, T0 + 25 * 60, NULL, &entry), EXPORT_NOTHING);
	/* after an hour, the daemon does not merge them any more */
	assert_int_equal(choose(e, 3, &p, T0 + 85 * 60, NULL, &entry), EXPORT_SEND);
	assert_ptr_equal(entry, &e[1]);
}

/* A session that is not packed yet delays the intervals after it, for at most EXPORT_MERGES. */
static void session_first(void **state)
{
	struct itv_entry e[] = { make(0, 10, 0, true), make(10, 10, 0, false) };
	struct export_progress p = { .until = INT64_MIN };
	const struct itv_entry *entry;

	(void)state;
	assert_int_equal(choose(e, 2, &p, T0 + 1300, NULL, &entry), EXPORT_NOTHING);
	assert_int_equal(choose(e, 2, &p, T0 + 600 + EXPORT_MERGES, NULL, &entry), EXPORT_SEND);
	assert_ptr_equal(entry, &e[1]);
}

static void merged_hours(void **state)
{
	struct itv_entry sent[] = { make(0, 60, 1, false), make(60, 10, 0, false) };
	struct itv_entry part[] = { make(0, 60, 1, false) };
	struct export_progress p = { .until = T0 + 3600, .names_since = T0 };
	const struct itv_entry *entry;

	(void)state;
	/* all parts of the hour were sent */
	assert_int_equal(choose(sent, 2, &p, LATER, sent[0].name, &entry), EXPORT_SEND);
	assert_ptr_equal(entry, &sent[1]);
	/* a part of the hour was sent */
	p.until = T0 + 1200;
	assert_int_equal(choose(part, 1, &p, LATER, part[0].name, &entry), EXPORT_GAP);
	/* no part of it was sent */
	p.until = T0;
	assert_int_equal(choose(part, 1, &p, LATER, part[0].name, &entry), EXPORT_SEND);
}

/* After the clock was set back, original intervals before the end of the sent times are sent. */
static void clock_set_back(void **state)
{
	struct itv_entry e[] = { make(-30, 10, 0, false), make(0, 10, 0, false) };
	struct export_progress p = { .until = T0 + 600, .names_since = T0 - 7200 };
	const struct itv_entry *entry;

	(void)state;
	assert_int_equal(export_progress_add(&p, &e[1]), 0);
	assert_int_equal(choose(e, 2, &p, LATER, NULL, &entry), EXPORT_SEND);
	assert_ptr_equal(entry, &e[0]);
	assert_int_equal(choose(e, 2, &p, LATER, e[0].name, &entry), EXPORT_NOTHING);
	assert_int_equal(export_progress_add(&p, &e[0]), 0);
	assert_int_equal(p.until, T0 + 600);
	assert_int_equal(choose(e, 2, &p, LATER, NULL, &entry), EXPORT_NOTHING);
	export_progress_release(&p);
}

/* Intervals before the first one that the server has are sent only if the user asks for them. */
static void older(void **state)
{
	struct itv_entry e[] = { make(-240, 60, 1, false), make(-180, 60, 1, false), make(-120, 60, 1, false),
				 make(-20, 10, 0, false), make(0, 10, 0, false) };
	const struct itv_entry part = make(-130, 20, 0, false);
	const struct itv_list list = { .entries = e, .nr = 5 };
	struct export_progress p = { .until = INT64_MIN, .names_since = T0 };
	const struct itv_entry *entry;

	(void)state;
	assert_int_equal(export_count_older(&list, &p), 0);
	assert_int_equal(export_progress_add(&p, &e[4]), 0);
	assert_int_equal(export_count_older(&list, &p), 4);
	assert_int_equal(choose(e, 5, &p, LATER, NULL, &entry), EXPORT_NOTHING);
	/* parts of two of them were sent before they were merged */
	assert_int_equal(export_progress_add(&p, &part), 0);
	assert_int_equal(export_count_older(&list, &p), 2);
	p.names_since = INT64_MIN;
	assert_int_equal(export_count_older(&list, &p), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(choose(e, 5, &p, LATER, NULL, &entry), EXPORT_SEND);
		assert_ptr_equal(entry, &e[i ? 3 : 0]);
		assert_int_equal(export_progress_add(&p, entry), 0);
	}
	assert_int_equal(choose(e, 5, &p, LATER, NULL, &entry), EXPORT_NOTHING);
	export_progress_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oldest_first), cmocka_unit_test(waits), cmocka_unit_test(session_first),
		cmocka_unit_test(merged_hours), cmocka_unit_test(clock_set_back),
		cmocka_unit_test(older),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
