// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_time_words.c -- tests the parser of times and durations.
 */
#include "config.h"
#include "libop/base/time_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/check.h"

/* The current time of the tests: Sunday, 2026-11-29 12:00:00 in Berlin (UTC+1). */
#define NOW	1795950000
#define HOUR	3600
#define DAY	(24 * HOUR)
#define MIDNIGHT	(NOW - 12 * HOUR)

static int set_zone(void **state)
{
	(void)state;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	return 0;
}

static void test_durations_are_parsed(void **state)
{
	static const struct { const char *text; int64_t seconds; } good[] = {
		{ "0", 0 }, { "90", 90 }, { "90s", 90 }, { "10m", 600 }, { "2h", 2 * HOUR },
		{ "7d", 7 * DAY }, { "2w", 14 * DAY }, { "6mo", 180 * DAY }, { "2y", 730 * DAY },
		{ "1000y", 365000ll * DAY },
	};
	static const char *const bad[] = {
		"", "m", "-1m", " 1m", "1 m", "1M", "1.5h", "10min", "1001yy",
	};
	static const char *const too_long[] = { "1001y", "99999y", "99999999999999999999" };
	int64_t n = 42;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(op_duration_parse(&n, good[i].text), 0);
		assert_int_equal(n, good[i].seconds);
	}
	n = 42;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(op_duration_parse(&n, bad[i]), -EINVAL);
		assert_int_equal(n, 42);
	}
	for (size_t i = 0; i < sizeof(too_long) / sizeof(too_long[0]); i++) {
		assert_int_equal(op_duration_parse(&n, too_long[i]), -ERANGE);
		assert_int_equal(n, 42);
	}
}

static void test_times_are_parsed(void **state)
{
	static const struct { const char *text; int64_t begin, end; } good[] = {
		{ "now", NOW, NOW },
		{ "-90m", NOW - 5400, NOW - 5400 },
		{ "today", MIDNIGHT, MIDNIGHT + DAY },
		{ "yesterday", MIDNIGHT - DAY, MIDNIGHT },
		{ "yesterday 03:00", MIDNIGHT - 21 * HOUR, MIDNIGHT - 21 * HOUR },
		{ "03:00", MIDNIGHT + 3 * HOUR, MIDNIGHT + 3 * HOUR },
		{ "12:00", NOW, NOW },
		/* 12:01 of today is in the future, so "12:01" means yesterday. */
		{ "12:01", NOW + 60 - DAY, NOW + 60 - DAY },
		{ "03:00:05", MIDNIGHT + 3 * HOUR + 5, MIDNIGHT + 3 * HOUR + 5 },
		{ "mon", MIDNIGHT - 6 * DAY, MIDNIGHT - 5 * DAY },
		{ "Monday 03:00", MIDNIGHT - 6 * DAY + 3 * HOUR, MIDNIGHT - 6 * DAY + 3 * HOUR },
		{ "sun", MIDNIGHT, MIDNIGHT + DAY },
		{ "sun 13:00", MIDNIGHT + 13 * HOUR - 7 * DAY, MIDNIGHT + 13 * HOUR - 7 * DAY },
		{ "2026-11-20", MIDNIGHT - 9 * DAY, MIDNIGHT - 8 * DAY },
		{ "2026-11-20T03:00", MIDNIGHT - 9 * DAY + 3 * HOUR, MIDNIGHT - 9 * DAY + 3 * HOUR },
		{ "2026-11-20 03:00", MIDNIGHT - 9 * DAY + 3 * HOUR, MIDNIGHT - 9 * DAY + 3 * HOUR },
		{ "2026-11-20T03:00Z", MIDNIGHT - 9 * DAY + 4 * HOUR, MIDNIGHT - 9 * DAY + 4 * HOUR },
		{ "2026-11-20T03:00-05:30", MIDNIGHT - 9 * DAY + 9 * HOUR + 1800,
		  MIDNIGHT - 9 * DAY + 9 * HOUR + 1800 },
		{ "@86400", DAY, DAY },
		/* The days on which the clock changes have 25 and 23 hours. */
		{ "2026-10-25", 1792879200, 1792879200 + 25 * HOUR },
		{ "2026-03-29", 1774738800, 1774738800 + 23 * HOUR },
		{ "2026-10-25T02:30+02:00", 1792879200 + 2 * HOUR + 1800, 1792879200 + 2 * HOUR + 1800 },
		{ "2026-10-25T02:30+01:00", 1792879200 + 3 * HOUR + 1800, 1792879200 + 3 * HOUR + 1800 },
	};
	struct op_reason error;
	struct op_period p;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		error = (struct op_reason){ "" };
		if (op_period_parse(&p, good[i].text, NOW, &error))
			fail_msg("%s: %s", good[i].text, error.text);
		if (p.begin != good[i].begin || p.end != good[i].end)
			fail_msg("%s: %lld to %lld, not %lld to %lld", good[i].text, (long long)p.begin,
				 (long long)p.end, (long long)good[i].begin, (long long)good[i].end);
	}
}

static void test_wrong_times_are_reported(void **state)
{
	static const struct { const char *text, *words; } bad[] = {
		{ "2026-10-25T02:30", "exists twice, because the clock was set back: write +02:00 or +01:00" },
		{ "2026-03-29T02:30", "does not exist" },
		{ "2026-02-30", "does not exist" },
		{ "", "is not a time: write now" },
		{ "mo", "is not a time" },
		{ "tomorrow", "is not a time" },
		{ "24:00", "is not a time" },
		{ "3:00", "is not a time" },
		{ "03:00x", "is not a time" },
		{ "2026-13-01", "is not a time" },
		{ "2026-11-20T", "is not a time" },
		{ "yesterday03:00", "is not a time" },
		{ "@", "is not a time" },
		{ "@99999999999999999999", "is not a time" },
		{ "-5", NULL },		/* valid: "-5" means five seconds ago */
		{ "--5m", "is not a time" },
	};
	struct op_period p;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct op_reason error = { "" };
		int err = op_period_parse(&p, bad[i].text, NOW, &error);

		if (!bad[i].words)
			assert_int_equal(err, 0);
		else if (err != -EINVAL || !strstr(error.text, bad[i].words))
			fail_msg("%s: %d, \"%s\"", bad[i].text, err, error.text);
	}
}

static void test_times_out_of_range_are_refused(void **state)
{
	static const struct { const char *text; int64_t begin, end; } good[] = {
		{ "yesterday..today", MIDNIGHT - DAY, MIDNIGHT + DAY },
		{ "-90m..now", NOW - 5400, NOW + 1 },
		{ "yesterday 03:00..yesterday 04:00", MIDNIGHT - 21 * HOUR, MIDNIGHT - 20 * HOUR },
		{ "today", MIDNIGHT, MIDNIGHT + DAY },
		{ "now", NOW, NOW },
	};
	static const struct { const char *text, *words; } bad[] = {
		{ "now..-1h", "now..-1h: Sun 2026-11-29 12:00:00 CET is not before Sun 2026-11-29 11:00:00 CET" },
		{ "now..now..now", "is not a time" }, { "..", "is not a time" }, { "..now", "is not a time" },
		{ "-1h..", "is not a time" }, { "2026-10-25T02:30..now", "exists twice" },
	};
	struct op_period p = { 1, 2 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct op_reason error = { "" };

		if (op_period_parse(&p, bad[i].text, NOW, &error) != -EINVAL || !strstr(error.text, bad[i].words))
			fail_msg("%s: \"%s\"", bad[i].text, error.text);
		assert_int_equal(p.begin, 1);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(op_period_parse(&p, good[i].text, NOW, NULL), 0);
		assert_int_equal(p.begin, good[i].begin);
		assert_int_equal(p.end, good[i].end);
	}
}

static void test_future_hour_means_yesterday(void **state)
{
	static const struct { const char *text, *hour; } words[] = {
		{ "23:59", "23:59" }, { "@0..23:59", "23:59" }, { "23:58..23:59:30", "23:58" },
		{ "00:00", NULL }, { "yesterday 23:59", NULL }, { "2026-11-20T23:59", NULL },
		{ "today", NULL }, { "-1h..now", NULL }, { "00:00..now", NULL },
	};
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *hour = op_period_hour_of_yesterday(words[i].text, &len, NOW);

		assert_int_equal(!hour, !words[i].hour);
		if (hour) {
			assert_int_equal(len, strlen(words[i].hour));
			assert_memory_equal(hour, words[i].hour, len);
		}
	}
}

static void test_times_are_printed(void **state)
{
	char text[OP_TIME_TEXT_SIZE], duration[OP_DURATION_TEXT_SIZE];

	(void)state;
	assert_string_equal(op_time_text(text, NOW), "Sun 2026-11-29 12:00:00 CET");
	assert_string_equal(op_time_text(text, 1792879200), "Sun 2026-10-25 00:00:00 CEST");
	assert_string_equal(op_duration_text(duration, 600), "10 min");
	assert_string_equal(op_duration_text(duration, 90), "90 s");
	assert_string_equal(op_duration_text(duration, DAY), "1 day");
	assert_string_equal(op_duration_text(duration, 730 * DAY), "2 years");
	assert_string_equal(op_duration_text(duration, 0), "0 s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations_are_parsed),
		cmocka_unit_test(test_times_are_parsed),
		cmocka_unit_test(test_wrong_times_are_reported),
		cmocka_unit_test(test_times_out_of_range_are_refused),
		cmocka_unit_test(test_future_hour_means_yesterday),
		cmocka_unit_test(test_times_are_printed),
	};

	return cmocka_run_group_tests(tests, set_zone, NULL);
}
