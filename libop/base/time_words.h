/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time_words.h -- times and durations as users write them.
 *
 *   duration  10m, 90s, 2h, 7d, 2w, 6mo, 2y; a number without a unit counts seconds
 *   time      now, -DURATION, today, yesterday, mon to sun (the last one), 03:00, 2026-11-20,
 *             a day and an hour: "yesterday 03:00", "mon 03:00", 2026-11-20T03:00,
 *             @SECONDS since 1970
 *
 * A time is in the local time zone, unless it has a suffix Z or +HH:MM. The suffix is required if
 * the local clock shows the time twice. A time of day may have seconds, as in 03:00:30.
 */
#ifndef OP_TIME_WORDS_H
#define OP_TIME_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"

#define OP_DURATION_RULE	"a number with s, m, h, d, w, mo or y, as in 10m"
#define OP_TIME_RULE \
	"now, -90m, 03:00, today, yesterday, \"mon 03:00\", 2026-11-20 or 2026-11-20T03:00"

/* A period. Times are in seconds since 1970. If the user has given an exact time, .begin == .end. A
 * day ends at the start of the next day. */
struct op_period {
	int64_t begin, end;
};

#define OP_LONGEST_DURATION	"1000 years"

/* Parse a duration, in seconds. A month has 30 days, a year 365. Return 0, -EINVAL, or -ERANGE for
 * a duration of more than 1000 years. */
int op_duration_parse(int64_t *ret, const char *text);

/* Parse a time, or a range "TIME..TIME". @now: the present time, for relative times. A time of day
 * without a day is the last such time before @now. Return 0, -ENOMEM, or -EINVAL with the cause and
 * a remedy in @error. */
int op_period_parse(struct op_period *ret, const char *text, int64_t now,
		    struct op_reason *error);

/*
 * @text may contain a time of day without a date that means yesterday, because today the time is
 * still in the future. Find this time of day. op_period_parse() must have accepted @text. Return
 * its position in @text, with *@len bytes, or NULL.
 */
const char *op_period_hour_of_yesterday(const char *text, size_t *len, int64_t now);

/* Write a time in the local time zone: "Fri 2026-11-20 03:00:00 CET". */
#define OP_TIME_TEXT_SIZE	64
const char *op_time_text(char buf[OP_TIME_TEXT_SIZE], int64_t time);
/* Write a duration with the largest unit of which it is a multiple: "10 min", "2 h", "90 s". */
#define OP_DURATION_TEXT_SIZE	32
const char *op_duration_text(char buf[OP_DURATION_TEXT_SIZE], int64_t seconds);

#endif
