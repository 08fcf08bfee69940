// SPDX-License-Identifier: GPL-2.0-or-later
/* text_range.c -- the lines about the time of a report. */
#include "config.h"
#include "pp/format/text.h"

#include <stdio.h>

#include "intervals/interval.h"
#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/base/time_words.h"
#include "pp/session/range.h"

#define NANO		1000000000ll
#define MAX_GAPS	5	/* maximum number of lines about times without samples */

/* Print the number of intervals of each length: "6 intervals, 24 hours, 3 days". */
static void print_steps(FILE *out, const struct pp_range *range)
{
	static const char *const words[][2] = {
		{ "interval", "intervals" }, { "hour", "hours" }, { "day", "days" },
		{ "month", "months" },
	};
	const char *before = "";

	for (unsigned int step = 0; step < sizeof(words) / sizeof(words[0]); step++) {
		unsigned long nr = 0;

		for (size_t i = 0; i < range->time.nr_parts; i++)
			nr += range->time.parts[i].step == step;
		if (nr)
			fprintf(out, "%s%lu %s", before, nr,
				op_plural(nr, words[step][0], words[step][1]));
		before = nr ? ", " : before;
	}
}

/* Print how coarse the addresses and the call paths of old intervals are. */
static void print_precision(FILE *out, const struct pp_range *range)
{
	static const char *const words[] = { NULL, "64 bytes of code", "function" };

	if (range->time.precision && range->time.precision < sizeof(words) / sizeof(words[0]))
		fprintf(out, "  addresses: in the coarsest interval, samples are counted by %s\n",
			words[range->time.precision]);
	if (range->time.folded && range->time.paths)
		fprintf(out, "  call paths: %.1f%% of the samples have a shortened path\n",
			100. * (double)range->time.folded / (double)range->time.paths);
}

/* Name the intervals whose times are wrong, because the clock was. */
static void print_clock(FILE *out, const struct itv_range *time)
{
	char from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE];

	if (time->overlaps.nr)
		fprintf(out, "  the clock was set back: %zu %s an earlier interval between %s and %s; "
			     "both are counted\n", time->overlaps.nr,
			op_plural(time->overlaps.nr, "interval overlaps", "intervals overlap"),
			op_time_text(from, time->overlaps.begin),
			op_time_text(to, time->overlaps.end));
	if (time->future.nr)
		fprintf(out, "  the clock was wrong: %zu %s in the future, from %s to %s, and %s not "
			     "counted\n", time->future.nr,
			op_plural(time->future.nr, "interval lies", "intervals lie"),
			op_time_text(from, time->future.begin), op_time_text(to, time->future.end),
			op_plural(time->future.nr, "is", "are"));
}

void pp_text_range(FILE *out, const struct pp_range *range)
{
	char from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE];
	const struct itv_range_part *last = &range->time.parts[0];

	for (size_t i = 0; i < range->time.nr_parts; i++)
		if (range->time.parts[i].end > last->end)
			last = &range->time.parts[i];
	fprintf(out, "Time: %s to %s (", op_time_text(from, range->time.parts[0].begin),
		op_time_text(to, last->end));
	print_steps(out, range);
	fputs(")\n", out);
	for (size_t i = 0; i < range->time.nr_asked; i++) {
		const struct op_period *asked = &range->time.asked[i];

		/* Print no beginning for a request without one. */
		if (asked->begin)
			fprintf(out, "  asked for: %s", op_time_text(from, asked->begin));
		else
			fputs("  asked for: everything", out);
		if (asked->end != asked->begin)
			fprintf(out, "%s%s", asked->begin ? " to " : " until ",
				op_time_text(to, asked->end));
		fputc('\n', out);
	}
	print_precision(out, range);
	print_clock(out, &range->time);
}

void pp_text_gaps(FILE *out, const struct pp_range *range)
{
	char from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE];

	for (size_t i = 0; i < range->time.nr_gaps && i < MAX_GAPS; i++) {
		const struct itv_gap *gap = &range->time.gaps[i];

		if (gap->from_ns)
			op_clean_printf(out, "  no samples from %s to %s: %s\n",
					op_time_text(from, gap->from_ns / NANO),
					op_time_text(to, gap->to_ns / NANO), gap->reason);
	}
	if (range->time.nr_gaps > MAX_GAPS)
		fprintf(out, "  and %zu more %s without samples\n", range->time.nr_gaps - MAX_GAPS,
			op_plural(range->time.nr_gaps - MAX_GAPS, "time", "times"));
}
