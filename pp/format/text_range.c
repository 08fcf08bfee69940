// SPDX-License-Identifier: GPL-2.0-or-later
/* text_range.c -- lines about the time of a report, its gaps, and its sessions. */
#include "config.h"
#include "pp/format/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "intervals/interval.h"
#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/base/time_words.h"
#include "libop/session/about.h"
#include "pp/session/range.h"
#include "pp/session/session.h"

#define NANO		1000000000ll
#define MAX_SESSIONS	4	/* maximum number of lines about the columns of a database */
#define MAX_GAPS	5	/* maximum number of lines about gaps */

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

/* Print that old intervals store addresses and call paths with less precision. */
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

/* List the intervals whose times are wrong, because the machine's clock was wrong. */
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

		/* A requested period without a beginning has .begin == 0, which is not printed. */
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

/* Return whether gap @at has the same reason as an earlier gap. Ignore the first MAX_GAPS gaps,
 * which have lines of their own. */
static bool is_earlier_reason(const struct itv_range *time, size_t at)
{
	for (size_t i = MAX_GAPS; i < at; i++)
		if (!strcmp(time->gaps[i].reason, time->gaps[at].reason))
			return true;
	return false;
}

/* For each reason, print the number and total length of the gaps that have no line of their own. */
static void print_more_gaps(FILE *out, const struct itv_range *time)
{
	for (size_t i = MAX_GAPS; i < time->nr_gaps; i++) {
		const char *reason = time->gaps[i].reason;
		int64_t sum_ns = 0;
		size_t nr = 0;

		if (is_earlier_reason(time, i))
			continue;
		for (size_t j = i; j < time->nr_gaps; j++) {
			if (strcmp(time->gaps[j].reason, reason))
				continue;
			sum_ns += time->gaps[j].to_ns - time->gaps[j].from_ns;
			nr++;
		}
		op_clean_printf(out, "  no samples in %zu more %s (%lld s): %s\n", nr,
				op_plural(nr, "time", "times"), (long long)(sum_ns / NANO), reason);
	}
}

static void print_gaps(FILE *out, const struct pp_range *range)
{
	char from[OP_TIME_TEXT_SIZE], to[OP_TIME_TEXT_SIZE];

	for (size_t i = 0; i < range->time.nr_gaps && i < MAX_GAPS; i++) {
		const struct itv_gap *gap = &range->time.gaps[i];

		if (gap->from_ns)
			op_clean_printf(out, "  no samples from %s to %s: %s\n",
					op_time_text(from, gap->from_ns / NANO),
					op_time_text(to, gap->to_ns / NANO), gap->reason);
	}
	print_more_gaps(out, &range->time);
}

/* Minimum difference, in seconds, between the sampled time of a session and the time from its start
 * to its end, to print the sampled time. Smaller differences may be due to rounding. */
#define MAX_DIFFERENCE	2

/* Print a session's duration. If sampling paused or the clock was set, print the sampled time
 * instead of the time from start to end. */
static void print_duration(FILE *out, const struct op_session_about *about)
{
	int64_t seconds = about->ended - about->begun, sampled = about->sampled_ms / 1000;

	if (about->sampled_ms && llabs(seconds - sampled) >= MAX_DIFFERENCE)
		fprintf(out, "%" PRId64 " s of sampling", sampled);
	else if (seconds > 0)
		fprintf(out, "%" PRId64 " s", seconds);
	else
		/* the session started and ended in the same second */
		fputs("less than 1 s", out);
}

/* Print the start, end and duration of a session: ", 2026-11-21 22:10:03 to 22:12:05 (122 s)". */
static void print_times(FILE *out, const struct op_session_about *about)
{
	char begun[32], ended[32];
	time_t from = about->begun, to = about->ended;
	struct tm from_tm, to_tm;

	if (!localtime_r(&from, &from_tm) || !localtime_r(&to, &to_tm))
		return;
	strftime(begun, sizeof(begun), "%Y-%m-%d %H:%M:%S", &from_tm);
	strftime(ended, sizeof(ended), from_tm.tm_yday == to_tm.tm_yday && to - from < 86400 ?
		 "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &to_tm);
	fprintf(out, ", %s to %s (", begun, ended);
	print_duration(out, about);
	putc(')', out);
}

/* Print a line such as "Profiled on web1 (Linux 6.1.0-30-amd64), 2026-11-21 22:10:03 to 22:12:05
 * (122 s): make -j4". @has_times: include times; otherwise the line "Time:" has them. */
static void print_about(const struct pp_report *report, const struct op_session_about *about,
			bool has_times)
{
	if (!about->begun)
		return;
	fputs("Profiled on ", report->out);
	pp_text_print(report->out, *about->host ? about->host : "?", 0, 0);
	fputs(" (Linux ", report->out);
	pp_text_print(report->out, *about->kernel ? about->kernel : "?", 0, 0);
	putc(')', report->out);
	if (has_times)
		print_times(report->out, about);
	else if (about->sampled_ms)
		fprintf(report->out, ", %" PRId64 " s of sampling", about->sampled_ms / 1000);
	if (*about->command) {
		fputs(": ", report->out);
		pp_text_print(report->out, about->command, 0, 0);
		if (about->nr_commands > 1)
			fprintf(report->out, " (%" PRIu32 " commands)", about->nr_commands);
	}
	putc('\n', report->out);
	if (*about->limits) {
		fputs("  ", report->out);
		pp_text_print(report->out, about->limits, 0, 0);
		putc('\n', report->out);
	}
}

void pp_text_sessions(const struct pp_report *report, const struct pp_session *session)
{
	/* If several kernels ran during the time of the report, each kernel has a session of its
	 * own. */
	const bool has_times = !session->range || session->nr_samples_dirs > 1;

	if (session->range) {
		pp_text_range(report->out, session->range);
		print_gaps(report->out, session->range);
	}
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		if (session->columns && i == MAX_SESSIONS) {
			fprintf(report->out, "  and %zu more columns\n",
				session->nr_samples_dirs - i);
			break;
		}
		print_about(report, &session->about[i], has_times);
	}
}
