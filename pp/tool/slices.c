// SPDX-License-Identifier: GPL-2.0-or-later
/* slices.c -- divides the report's range of time into slices, and makes a profile for each
 * slice. */
#include "config.h"
#include "pp/tool/slices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pp/session/range.h"

/* Return the shortest round length in seconds with which [0, @span) consists of fewer than @max
 * slices. */
static int64_t round_length(int64_t span, size_t max)
{
	static const int64_t lengths[] = {
		60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
		2 * 86400, 7 * 86400, 14 * 86400,
	};
	const size_t nr = sizeof(lengths) / sizeof(lengths[0]);
	const int64_t least = span / (int64_t)(max - 1) + 1, longest = lengths[nr - 1];

	for (size_t i = 0; i < nr; i++)
		if (lengths[i] >= least)
			return lengths[i];
	return (least + longest - 1) / longest * longest;
}

/* Return the start of the first slice: @begin, rounded down to a multiple of @length in local
 * time. */
static int64_t first_start(int64_t begin, int64_t length)
{
	time_t t = (time_t)begin;
	struct tm tm;
	int64_t offset = localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;

	return (begin + offset) / length * length - offset;
}

static int64_t last_end(const struct itv_range *range)
{
	int64_t end = range->parts[0].end;

	for (size_t i = 1; i < range->nr_parts; i++)
		end = range->parts[i].end > end ? range->parts[i].end : end;
	return end;
}

/*
 * Divide the range of time into at most @max slices, sorted by begin. Slices do not overlap, and
 * each interval belongs to one slice. If the range has at most @max intervals, each interval is a
 * slice. Otherwise slices have a round length such as 30 min or 6 h, unless an interval is longer.
 * The caller frees *@ret. Return 0 or -ENOMEM.
 */
static int divide(struct op_period **ret, size_t *ret_nr, const struct itv_range *range,
		   size_t max)
{
	const struct itv_range_part *parts = range->parts;
	struct op_period *slices = calloc(range->nr_parts + 1, sizeof(*slices));
	int64_t length = 0, start = 0;
	size_t nr = 0;

	if (!slices)
		return -ENOMEM;
	if (range->nr_parts > max) {
		length = round_length(last_end(range) - parts[0].begin, max);
		start = first_start(parts[0].begin, length);
	}
	for (size_t i = 0; i < range->nr_parts; i++) {
		struct op_period *last = nr ? &slices[nr - 1] : NULL;
		/* An interval may begin before the end of the previous slice, because the clock may
		 * have been set back. */
		bool joins = last && (parts[i].begin < last->end ||
				      (length && (parts[i].begin - start) / length ==
							 (last->begin - start) / length));

		if (!joins)
			slices[nr++] = (struct op_period){ parts[i].begin, parts[i].end };
		else if (parts[i].end > last->end)
			last->end = parts[i].end;
	}
	*ret = slices;
	*ret_nr = nr;
	return 0;
}

/* Discard a message: the report of the whole range of time has already printed it. */
static void discard(struct pp_log *log, enum pp_log_level level, const char *text)
{
	(void)log;
	(void)level;
	(void)text;
}

/* Return whether all intervals of @range belong to slice number @at. For the last slice, ignore its
 * end: it contains the current session, which may have become longer. */
static bool is_of_slice(const struct pp_range *range, const struct pp_report_slices *slices,
			size_t at)
{
	const struct op_period *period = &slices->periods[at];

	for (size_t i = 0; i < range->time.nr_parts; i++)
		if (range->time.parts[i].begin < period->begin ||
		    (range->time.parts[i].end > period->end && at + 1 < slices->nr))
			return false;
	return true;
}

static int read_slice(const struct pp_report_slices *slices, size_t at,
		      int (*visit)(void *arg, size_t slice, const struct pp_report *report),
		      void *arg)
{
	const struct pp_tool_slices *tool = (const struct pp_tool_slices *)slices;
	const struct op_period *period = &slices->periods[at];
	char text[64], *value = text;
	struct pp_spec spec = tool->common->spec;
	struct pp_work_options wanted = tool->wanted;
	struct pp_log quiet = { .write = discard };
	struct pp_report report = { .options = tool->format, .log = &quiet, .command = "" };
	struct pp_work work;
	int err;

	snprintf(text, sizeof(text), "@%lld..@%lld", (long long)period->begin,
		 (long long)period->end);
	spec.tags[PP_TAG_TIME] = (struct pp_values){ &value, 1 };
	wanted.spec = &spec;
	err = pp_work_make(&work, tool->common, &wanted, &quiet);
	if (err == -ENOMEM)
		return err;
	/* this slice may have no samples that the specification selects */
	if (err)
		return 0;
	report.session = work.session;
	report.profile = work.profile;
	report.images = work.images;
	err = is_of_slice(work.session->range, slices, at) ? visit(arg, at, &report) : -EAGAIN;
	pp_work_release(&work);
	return err;
}

int pp_tool_slices_make(struct pp_tool_slices *ret, const struct pp_work *work,
			const struct pp_common *common, const struct pp_work_options *wanted,
			const struct pp_format_options *format, size_t max)
{
	struct pp_tool_slices slices = {
		.common = common, .format = format, .wanted = *wanted,
		.slices = { .read = read_slice },
	};
	int err = divide(&slices.periods, &slices.slices.nr, &work->session->range->time,
				 max);

	if (err)
		return err;
	slices.slices.periods = slices.periods;
	slices.wanted.arcs = false;
	slices.wanted.allocators = NULL;
	*ret = slices;
	return 0;
}

void pp_tool_slices_release(struct pp_tool_slices *slices)
{
	free(slices->periods);
	*slices = (struct pp_tool_slices){ .periods = NULL };
}
