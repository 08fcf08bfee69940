// SPDX-License-Identifier: GPL-2.0-or-later
/* text_losses.c -- accounting of samples: taken, stored, and lost with reasons. */
#include "config.h"
#include "pp/format/text_losses.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "libop/base/plural.h"
#include "libop/session/paths.h"
#include "pp/format/books.h"
#include "pp/format/percent.h"
#include "pp/format/text_cells.h"
#include "pp/session/tasks.h"

/* Return whether the counter is about the profiler itself. */
static const char *const for_developers[] = {
	"sampling_ns", "user_resolved", "governor_looked_ns", "governor_took_ns",
};

static void print_share(FILE *out, uint64_t part, uint64_t total)
{
	char percent[PP_PERCENT_SIZE];

	pp_percent(percent, part, total);
	fprintf(out, "%" PRIu64 " (%s%%)", part, percent + strspn(percent, " "));
}

/* Print the relation of the report's samples to the stored samples. A running daemon writes the
 * totals less often than the files. */
/* Print a command that can be pasted. */
static void print_dump(const struct pp_report *report)
{
	char option[OP_SESSION_OPTION_SIZE];

	fprintf(report->out, "opcontrol%s --dump brings them up to date\n",
		op_session_option(option, report->session->dir));
}

static void print_reported(const struct pp_report *report, const struct pp_books *books)
{
	FILE *out = report->out;

	/* Probes count signals, and their metrics may be bytes. */
	if (report->session->nr_profiles)
		return;
	if (books->is_part) {
		fputs("  in this report: ", out);
		if (books->reported <= books->stored)
			print_share(out, books->reported, books->stored);
		else
			fprintf(out, "%" PRIu64, books->reported);
		fputs(" of the stored samples\n", out);
	} else if (books->reported > books->stored &&
		   books->reported - books->stored > books->behind) {
		fprintf(out, "  %" PRIu64 " %s more than were stored: damaged%s\n",
			books->reported - books->stored,
			op_plural(books->reported - books->stored, "sample", "samples"),
			books->is_live ? "" : ", or its daemon was killed");
	} else if (books->reported > books->stored) {
		/* Print no advice: even after a dump, new samples arrive before the report reads
		 * the files. */
		fprintf(out,
			"  %" PRIu64 " more %s came since these numbers were written; a running "
				     "daemon writes them once "
			"a second\n",
			books->reported - books->stored,
			op_plural(books->reported - books->stored, "sample", "samples"));
	} else if (books->reported < books->stored) {
		fprintf(out, "  %" PRIu64 " of the stored samples %s in no file of this session\n",
			books->stored - books->reported,
			op_plural(books->stored - books->reported, "is", "are"));
	}
}

static void print_sums(const struct pp_report *report, const struct pp_books *books)
{
	FILE *out = report->out;

	fprintf(out, "Samples taken: %" PRIu64 ", stored: %" PRIu64 ", lost: ", books->taken,
		books->stored);
	if (books->lost)
		print_share(out, books->lost, books->taken);
	else
		fputs("none", out);
	if (books->excluded)
		fprintf(out, ", left out as asked: %" PRIu64, books->excluded);
	if (books->pending)
		fprintf(out, ", still on their way: %" PRIu64, books->pending);
	putc('\n', out);
	if (!books->add_up) {
		fputs("  WARNING: these numbers do not add up", out);
		/* No daemon can write the missing samples of an archive or a saved session. */
		if (books->is_live) {
			fputs("; ", out);
			print_dump(report);
		} else {
			putc('\n', out);
		}
	}
	print_reported(report, books);
}

/* Return whether @app is @path. @app may have the numbers and name of a thread after its path. */
static bool is_program(const char *app, const char *path)
{
	size_t len = strlen(path);

	return len && len == pp_task_path_len(app) && !memcmp(app, path, len);
}

/* Return whether @app is a program of the profiler, by its whole path, because users may have
 * programs of that name. */
static bool is_own(const struct pp_session *session, const char *app)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		if (is_program(app, session->about[i].daemon) ||
		    is_program(app, session->about[i].reader))
			return true;
	return false;
}

/* Print the profiler's own share: it is the busiest program of an idle machine. */
static void print_own(FILE *out, const struct pp_session *session, const struct pp_profile *profile)
{
	uint64_t own = 0, all = 0;

	for (size_t c = 0; c < profile->nr_classes; c++)
		all += profile->totals[c];
	for (size_t i = 0; i < profile->nr_groups; i++)
		for (size_t c = 0;
		     c < profile->nr_classes && is_own(session, profile->groups[i].app); c++)
			own += profile->groups[i].counts[c];
	if (own <= all / 100)
		return;
	fputs("  the profiler itself (oprofiled, opsymbols): ", out);
	print_share(out, own, all);
	fputs(" of the samples below\n", out);
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

static bool is_for_developers(const char *name)
{
	for (size_t i = 0; i < sizeof(for_developers) / sizeof(for_developers[0]); i++)
		if (!strcmp(name, for_developers[i]))
			return true;
	return false;
}

static uint64_t value_of(const struct op_session_stats *stats, const char *name)
{
	for (size_t i = 0; i < stats->nr; i++)
		if (!strcmp(stats->values[i].name, name))
			return stats->values[i].value;
	return 0;
}

/* Print the CPU time of sampling, if it was throttled. */
static void print_took(FILE *out, const struct op_session_stats *stats)
{
	uint64_t looked = value_of(stats, "governor_looked_ns");

	if (looked)
		fprintf(out, ": %.1f%% of a CPU",
			100.0 * value_of(stats, "governor_took_ns") / looked);
}

static void print_info(const struct pp_report *report, const struct op_session_stats *stats,
		       const struct op_stat_value *v)
{
	FILE *out = report->out;

	if ((is_for_developers(v->name) || pp_is_event_time(v)) && !report->options->verbose)
		return;
	if (!strcmp(v->name, "pending"))
		return;		/* printed beside the sums */
	if (!strcmp(v->name, "idle_ns")) {
		fprintf(out, "Idle, not sampled: %.1f s of CPU time\n", v->value / 1e9);
		return;
	}
	if (!strcmp(v->name, "governor_slow_ns")) {
		fprintf(out, "  %.1f s of CPU time were sampled less often than asked for\n",
			v->value / 1e9);
		return;
	}
	fputs("  ", out);
	fprintf(out, "%" PRIu64 " ", v->value);
	pp_text_print(out, v->desc ? v->desc->what : v->name, 0, 0);
	if (!strcmp(v->name, "governor_throttled"))
		print_took(out, stats);
	if (v->desc && v->desc->advice)
		fprintf(out, "; %s", v->desc->advice);
	putc('\n', out);
}

/* The session with the kernel's part has totals of its own, of all programs. */
static void print_beside(FILE *out, const struct op_session_stats *beside)
{
	uint64_t taken = op_session_stats_sum(beside, OP_STAT_TAKEN),
		 lost = op_session_stats_sum(beside, OP_STAT_LOSS);

	if (!taken)
		return;
	fprintf(out, "The session beside it, of all programs: samples taken: %" PRIu64 ", lost: ",
		taken);
	print_share(out, lost, taken);
	putc('\n', out);
}

/* Files of some programs have only calls, which are counted, not sampled. */
static bool has_calls(const struct pp_session *session)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		if (session->sources[i]->of_calls.recorded)
			return true;
	return false;
}

void pp_text_losses(const struct pp_report *report, const struct pp_session *session,
		    const struct pp_profile *profile)
{
	const struct op_session_stats *stats = &session->stats;
	const struct pp_books books = pp_books(session, profile);

	print_beside(report->out, &session->beside);
	if (!session->has_stats)
		return;
	if (books.taken || !has_calls(session))
		print_sums(report, &books);
	print_own(report->out, session, profile);
	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (pp_is_loss(v))
			print_loss(report->out, v, books.taken);
	}
	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (v->value && (!v->desc || v->desc->kind == OP_STAT_INFO))
			print_info(report, stats, v);
	}
}
