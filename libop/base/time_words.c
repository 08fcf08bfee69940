// SPDX-License-Identifier: GPL-2.0-or-later
/* time_words.c -- parsing and output of times and durations. */
#include "config.h"
#include "libop/base/time_words.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "libop/base/plural.h"

#define MINUTE		60
#define HOUR		(60 * MINUTE)
#define DAY		(24 * HOUR)
#define MAX_SECONDS	(1000ll * 365 * DAY)

static const struct {
	const char *name, *one, *many;
	int64_t seconds;
} units[] = {
	{ "y", "year", "years", 365 * DAY },
	{ "mo", "month", "months", 30 * DAY },
	{ "w", "week", "weeks", 7 * DAY },
	{ "d", "day", "days", DAY },
	{ "h", "h", "h", HOUR },
	{ "m", "min", "min", MINUTE },
	{ "s", "s", "s", 1 },
	{ "", "s", "s", 1 },
};
#define NR_UNITS	(sizeof(units) / sizeof(units[0]))

static const char *const week[] = {
	"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
};

int op_duration_parse(int64_t *ret, const char *text)
{
	long long n;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	n = strtoll(text, &end, 10);
	for (size_t i = 0; i < NR_UNITS; i++) {
		if (strcmp(end, units[i].name))
			continue;
		if (errno || n > MAX_SECONDS / units[i].seconds)
			return -ERANGE;
		*ret = n * units[i].seconds;
		return 0;
	}
	return -EINVAL;
}

/* The components of a time that the user has written. */
struct words {
	const char *at;			/* the part of the text that is not parsed yet */
	const char *text;		/* the whole text, for error messages */
	int64_t now;
	int year, month, day;	/* .month: from 1 to 12; .day: 0 if the text specifies no day */
	int hour, minute, second;	/* .hour: -1 if the text specifies no time of day */
	/* number of days to subtract if the time would be in the future */
	int again;
	bool has_zone;
	/* offset of the time zone in seconds, positive east of UTC */
	int zone;
};

static bool parse_number(struct words *w, int digits, int min, int max, int *ret)
{
	int n = 0;

	for (int i = 0; i < digits; i++) {
		if (!isdigit((unsigned char)w->at[i]))
			return false;
		n = 10 * n + w->at[i] - '0';
	}
	if (n < min || n > max)
		return false;
	*ret = n;
	w->at += digits;
	return true;
}

static bool parse_sign(struct words *w, char sign)
{
	if (*w->at != sign)
		return false;
	w->at++;
	return true;
}

/* Set year, month and day to the local date of @now, plus @days days. */
static void set_day(struct words *w, int days)
{
	time_t t = (time_t)w->now;
	struct tm tm;

	localtime_r(&t, &tm);
	tm.tm_mday += days;
	tm.tm_hour = 12;
	tm.tm_isdst = -1;
	mktime(&tm);
	w->year = tm.tm_year + 1900;
	w->month = tm.tm_mon + 1;
	w->day = tm.tm_mday;
}

static int weekday_of(int64_t now)
{
	time_t t = (time_t)now;
	struct tm tm;

	localtime_r(&t, &tm);
	return tm.tm_wday;
}

/* Parse the name of a day: "today", "yesterday", or a day of the week. */
static bool parse_day_name(struct words *w)
{
	size_t n = 0;

	while (isalpha((unsigned char)w->at[n]))
		n++;
	if (n == 5 && !strncasecmp(w->at, "today", n)) {
		set_day(w, 0);
	} else if (n == 9 && !strncasecmp(w->at, "yesterday", n)) {
		set_day(w, -1);
	} else {
		int d = 0;

		while (d < 7 && (n < 3 || strncasecmp(w->at, week[d], n) || n > strlen(week[d])))
			d++;
		if (d == 7)
			return false;
		set_day(w, -((weekday_of(w->now) - d + 7) % 7));
		w->again = 7;
	}
	w->at += n;
	return true;
}

static bool parse_date(struct words *w)
{
	return parse_number(w, 4, 1970, 9999, &w->year) && parse_sign(w, '-') &&
	       parse_number(w, 2, 1, 12, &w->month) && parse_sign(w, '-') &&
	       parse_number(w, 2, 1, 31, &w->day);
}

static bool parse_hour(struct words *w)
{
	if (!parse_number(w, 2, 0, 23, &w->hour) || !parse_sign(w, ':') ||
	    !parse_number(w, 2, 0, 59, &w->minute))
		return false;
	return !parse_sign(w, ':') || parse_number(w, 2, 0, 59, &w->second);
}

static bool parse_zone(struct words *w)
{
	int hours, minutes, sign = *w->at == '-' ? -1 : 1;

	if (parse_sign(w, 'Z')) {
		w->has_zone = true;
		return true;
	}
	if (!parse_sign(w, '+') && !parse_sign(w, '-'))
		return true;
	if (!parse_number(w, 2, 0, 14, &hours) || !parse_sign(w, ':') ||
	    !parse_number(w, 2, 0, 59, &minutes))
		return false;
	w->has_zone = true;
	w->zone = sign * (hours * HOUR + minutes * MINUTE);
	return true;
}

static bool parse_words(struct words *w)
{
	bool has_date = isdigit((unsigned char)w->at[0]) && strlen(w->at) >= 5 && w->at[4] == '-';

	if (has_date ? !parse_date(w) :
		       !isdigit((unsigned char)w->at[0]) && !parse_day_name(w))
		return false;
	if (w->day && !*w->at)
		return true;
	if (w->day && !parse_sign(w, ' ') && !(has_date && parse_sign(w, 'T')))
		return false;
	if (!parse_hour(w))
		return false;
	return parse_zone(w) && !*w->at;
}

/* Return the time that @w describes. The time is in the zone w->zone, or in the local time zone;
 * @dst is tm_isdst for the local time zone. */
static int64_t time_of(const struct words *w, int dst)
{
	struct tm tm = {
		.tm_year = w->year - 1900, .tm_mon = w->month - 1, .tm_mday = w->day,
		.tm_hour = w->hour < 0 ? 0 : w->hour, .tm_min = w->minute, .tm_sec = w->second,
		.tm_isdst = dst,
	};

	return w->has_zone ? timegm(&tm) - w->zone : mktime(&tm);
}

static bool shows(const struct words *w, int64_t time)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (w->has_zone)
		return true;
	localtime_r(&t, &tm);
	return tm.tm_year == w->year - 1900 && tm.tm_mon == w->month - 1 && tm.tm_mday == w->day &&
	       tm.tm_hour == (w->hour < 0 ? 0 : w->hour) && tm.tm_min == w->minute;
}

static const char *offset_text(char buf[8], int64_t time)
{
	time_t t = (time_t)time;
	struct tm tm;
	long minutes;

	localtime_r(&t, &tm);
	minutes = tm.tm_gmtoff / MINUTE;
	snprintf(buf, 8, "%c%02ld:%02ld", minutes < 0 ? '-' : '+', labs(minutes) / 60 % 24,
		 labs(minutes) % 60);
	return buf;
}

/* Set *@ret to the time at which the local clock shows the date and hour in @w. Fail with the cause
 * in @error if the clock shows this date and hour twice, or never. */
static int resolve(const struct words *w, int64_t *ret, struct op_reason *error)
{
	int64_t with = time_of(w, 1), without = time_of(w, 0);
	bool one = shows(w, with), other = shows(w, without);
	char first[8], second[8];

	if (one && other && with != without)
		return op_fail(error, -EINVAL,
			       "\"%s\" exists twice, because the clock was set back: write %s or "
			       "%s after it", w->text,
			       offset_text(first, with < without ? with : without),
			       offset_text(second, with < without ? without : with));
	if (!one && !other)
		return op_fail(error, -EINVAL,
			       "\"%s\" does not exist, because the clock was set forward or the "
			       "month has fewer days", w->text);
	*ret = one ? with : without;
	return 0;
}

static int set_period(struct words *w, struct op_period *ret, struct op_reason *error)
{
	int err;

	if (!w->day) {
		set_day(w, 0);
		w->again = 1;
	}
	err = resolve(w, &ret->begin, error);
	if (!err && w->again && ret->begin > w->now) {
		set_day(w, -w->again);
		err = resolve(w, &ret->begin, error);
	}
	ret->end = ret->begin;
	if (err || w->hour >= 0)
		return err;
	w->day++;
	ret->end = time_of(w, -1);
	return 0;
}

static int parse_time(struct op_period *ret, const char *text, int64_t now, struct op_reason *error)
{
	struct words w = { .at = text, .text = text, .now = now, .hour = -1 };
	int64_t ago;
	char *end;

	if (!strcmp(text, "now")) {
		*ret = (struct op_period){ now, now };
		return 0;
	}
	if (text[0] == '-' && !op_duration_parse(&ago, text + 1)) {
		*ret = (struct op_period){ now - ago, now - ago };
		return 0;
	}
	if (text[0] == '@' && isdigit((unsigned char)text[1])) {
		errno = 0;
		ret->begin = ret->end = strtoll(text + 1, &end, 10);
		if (!*end && !errno && ret->begin < INT64_MAX / 1000000000)
			return 0;
	} else if (parse_words(&w)) {
		return set_period(&w, ret, error);
	} else if (text[0] == '-' && op_duration_parse(&ago, text + 1) == -ERANGE) {
		return op_fail(error, -EINVAL, "\"%s\" is longer than " OP_LONGEST_DURATION, text + 1);
	}
	return op_fail(error, -EINVAL, "\"%s\" is not a time: write " OP_TIME_RULE, text);
}

int op_period_parse(struct op_period *ret, const char *text, int64_t now, struct op_reason *error)
{
	const char *dots = strstr(text, "..");
	char begin[OP_TIME_TEXT_SIZE], end[OP_TIME_TEXT_SIZE], *first;
	struct op_period from, to;
	int err;

	if (!dots)
		return parse_time(ret, text, now, error);
	first = strndup(text, (size_t)(dots - text));
	if (!first)
		return -ENOMEM;
	err = parse_time(&from, first, now, error);
	free(first);
	if (!err)
		err = parse_time(&to, dots + 2, now, error);
	if (err)
		return err;
	if (to.end <= from.begin)
		return op_fail(error, -EINVAL, "%s: %s is not before %s", text,
			       op_time_text(begin, from.begin), op_time_text(end, to.end));
	ret->begin = from.begin;
	/* If a range ends at the present time, extend it by a second to include the current second,
	 * in which an interval may have begun. */
	ret->end = to.begin == to.end && to.end == now ? now + 1 : to.end;
	return 0;
}

/* Return whether the first @len bytes of @text are a time of day without a date that is still in
 * the future today, at the time @now. */
static bool is_later_today(const char *text, size_t len, int64_t now)
{
	struct op_reason ignored = { "" };
	char *copy = strndup(text, len);
	struct words w = { .at = copy, .text = copy, .now = now, .hour = -1 };
	int64_t time;
	bool is_later = false;

	if (copy && isdigit((unsigned char)*copy) && parse_words(&w) && !w.day) {
		set_day(&w, 0);
		is_later = !resolve(&w, &time, &ignored) && time > now;
	}
	free(copy);
	return is_later;
}

const char *op_period_hour_of_yesterday(const char *text, size_t *len, int64_t now)
{
	const char *dots = strstr(text, "..");

	*len = dots ? (size_t)(dots - text) : strlen(text);
	if (is_later_today(text, *len, now))
		return text;
	*len = dots ? strlen(dots + 2) : 0;
	return dots && is_later_today(dots + 2, *len, now) ? dots + 2 : NULL;
}

const char *op_time_text(char buf[OP_TIME_TEXT_SIZE], int64_t time)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (!localtime_r(&t, &tm) ||
	    !strftime(buf, OP_TIME_TEXT_SIZE, "%a %Y-%m-%d %H:%M:%S %Z", &tm))
		snprintf(buf, OP_TIME_TEXT_SIZE, "@%" PRId64, time);
	return buf;
}

const char *op_duration_text(char buf[OP_DURATION_TEXT_SIZE], int64_t seconds)
{
	size_t i = 0;

	while (i < NR_UNITS - 2 && (!seconds || seconds % units[i].seconds))
		i++;
	snprintf(buf, OP_DURATION_TEXT_SIZE, "%" PRId64 " %s", seconds / units[i].seconds,
		 op_plural((unsigned long)(seconds / units[i].seconds), units[i].one,
			   units[i].many));
	return buf;
}
