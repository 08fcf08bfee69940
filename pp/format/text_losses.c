// SPDX-License-Identifier: GPL-2.0-or-later
/* text_losses.c -- how far the report can be believed: what was taken, stored and lost, and why. */
#include "config.h"
#include "pp/format/text.h"

#include <inttypes.h>
#include <string.h>

#include "pp/format/percent.h"

/* Counters about the profiler itself. */
static const char *const for_developers[] = { "sampling_ns", "user_resolved" };

static void print_share(FILE *out, uint64_t part, uint64_t total)
{
	char percent[PP_PERCENT_WIDTH + 1];

	pp_percent(percent, part, total);
	fprintf(out, "%" PRIu64 " (%s%%)", part, percent + strspn(percent, " "));
}

/* Left out because the user asked for it is not lost. */
static int is_excluded(const struct op_stat_value *v)
{
	return !strncmp(v->name, "excluded_", strlen("excluded_"));
}

static uint64_t sum_losses(const struct op_session_stats *stats, int excluded)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (v->desc && v->desc->kind == OP_STAT_LOSS && is_excluded(v) == excluded)
			sum += v->value;
	}
	return sum;
}

/* The files grow while the daemon runs, the counters are written now and then. */
static void print_newer(const struct pp_report *report, uint64_t stored)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < report->profile->nr_classes; i++)
		sum += report->profile->totals[i];
	if (sum > stored)
		fprintf(report->out,
			"  %" PRIu64
			" more samples came since these numbers were written; 'opcontrol --dump' "
			"brings them up to date\n",
			sum - stored);
}

static void print_sums(const struct pp_report *report, uint64_t taken)
{
	const struct op_session_stats *stats = &report->session->stats;
	FILE *out = report->out;
	uint64_t stored = op_session_stats_sum(stats, OP_STAT_STORED);
	uint64_t lost = sum_losses(stats, 0), excluded = sum_losses(stats, 1);
	uint64_t pending = op_session_stats_get(stats, "pending");

	fprintf(out, "Samples taken: %" PRIu64 ", stored: %" PRIu64 ", lost: ", taken, stored);
	if (lost)
		print_share(out, lost, taken);
	else
		fputs("none", out);
	if (excluded)
		fprintf(out, ", left out as asked: %" PRIu64, excluded);
	if (pending)
		fprintf(out, ", still on their way: %" PRIu64, pending);
	putc('\n', out);
	if (taken != stored + lost + excluded)
		fputs("  WARNING: these numbers do not add up; 'opcontrol --dump' brings them up "
		      "to date\n",
		      out);
	print_newer(report, stored);
}

static void print_loss(FILE *out, const struct op_stat_value *v, uint64_t taken)
{
	fputs("  lost ", out);
	print_share(out, v->value, taken);
	fprintf(out, ": %s", v->desc->what);
	if (v->desc->advice)
		fprintf(out, "; %s", v->desc->advice);
	putc('\n', out);
}

static int is_for_developers(const char *name)
{
	for (size_t i = 0; i < sizeof(for_developers) / sizeof(for_developers[0]); i++)
		if (!strcmp(name, for_developers[i]))
			return 1;
	return 0;
}

static void print_info(const struct pp_report *report, const struct op_stat_value *v)
{
	FILE *out = report->out;

	if (is_for_developers(v->name) && !report->options->verbose)
		return;
	if (!strcmp(v->name, "pending"))
		return;		/* beside the sums already */
	if (!strcmp(v->name, "idle_ns")) {
		fprintf(out, "Idle, not sampled: %.1f s of CPU time\n", v->value / 1e9);
		return;
	}
	fputs("  ", out);
	fprintf(out, "%" PRIu64 " ", v->value);
	pp_text_print(out, v->desc ? v->desc->what : v->name, 0, 0);
	if (v->desc && v->desc->advice)
		fprintf(out, "; %s", v->desc->advice);
	putc('\n', out);
}

void pp_text_losses(const struct pp_report *report)
{
	const struct op_session_stats *stats = &report->session->stats;
	uint64_t taken = op_session_stats_sum(stats, OP_STAT_TAKEN);

	if (!report->session->has_stats)
		return;
	print_sums(report, taken);
	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (v->value && v->desc && v->desc->kind == OP_STAT_LOSS && !is_excluded(v))
			print_loss(report->out, v, taken);
	}
	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (v->value && (!v->desc || v->desc->kind == OP_STAT_INFO))
			print_info(report, v);
	}
}
