// SPDX-License-Identifier: GPL-2.0-or-later
/* text_losses.c -- accounting of samples: taken, stored, and lost with reasons. */
#include "config.h"
#include "pp/format/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libop/base/plural.h"
#include "libop/session/paths.h"
#include "pp/format/percent.h"
#include "pp/profile/profile.h"
#include "pp/profile/warnings.h"
#include "pp/session/session.h"
#include "pp/session/tasks.h"

struct accounts {
	uint64_t taken, stored;
	/* number of lost samples, not including samples that the user excluded */
	uint64_t lost;
	uint64_t excluded;
	/* number of samples that the daemon had not stored yet when it wrote the totals */
	uint64_t pending;
	uint64_t reported;	/* number of samples in the profile, before scaling */
	bool add_up;		/* .taken equals the sum of .stored, .lost and .excluded */
	bool is_live;		/* a running daemon is still adding samples to the session */
	/* upper bound of the number of samples that a daemon has stored since it wrote the
	 * totals */
	uint64_t behind;
	bool is_part;		/* the profile contains only some of the session's samples */
	uint64_t unknown;	/* number of intervals whose samples are not in the totals */
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Return whether the counter counts samples that an option excluded. Such samples are not lost. */
static int is_excluded(const struct op_stat_value *v)
{
	return begins(v->name, "excluded_");
}

/* Return whether the counter @v counts lost samples, and is not 0. */
static bool pp_is_loss(const struct op_stat_value *v)
{
	return v->value && v->desc && v->desc->kind == OP_STAT_LOSS && !is_excluded(v);
}

/* Return whether the counter contains a time for which an event was counted, because struct
 * pp_class also contains that time. */
static bool pp_is_event_time(const struct op_stat_value *v)
{
	return begins(v->name, "enabled_ns:") || begins(v->name, "running_ns:");
}

/* Return the accounting of the session's samples; all members are 0 if the session has no
 * totals. */
static struct accounts sum_accounts(const struct pp_session *session,
				    const struct pp_profile *profile)
{
	const struct op_session_stats *stats = &session->stats;
	struct accounts accounts = {
		.taken = op_session_stats_sum(stats, OP_STAT_TAKEN) -
			 op_session_stats_sum(stats, OP_STAT_CONVERTED),
		.stored = op_session_stats_sum(stats, OP_STAT_STORED),
		.pending = op_session_stats_get(stats, "pending"),
		.reported = profile->nr_samples,
		.is_part = session->is_filtered,
		.unknown = op_session_stats_get(stats, "totals_unknown"),
	};

	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		accounts.behind += pp_stored_after(session, i);
	accounts.is_live = accounts.behind > 0;

	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (pp_is_loss(v))
			accounts.lost += v->value;
		else if (v->desc && v->desc->kind == OP_STAT_LOSS)
			accounts.excluded += v->value;
	}
	/* Several runs of operf 1.4 may have added samples to the files, but the totals cover only
	 * the last run: use the samples of the profile instead. */
	if (session->has_operf_stats && !session->is_filtered) {
		accounts.stored = accounts.reported;
		accounts.taken = accounts.stored + accounts.lost + accounts.excluded;
	}
	accounts.add_up = accounts.taken == accounts.stored + accounts.lost + accounts.excluded;
	return accounts;
}

/* Counters that describe the profiler itself. They are printed only with --verbose. */
static const char *const for_developers[] = {
	"sampling_ns", "user_resolved", "governor_looked_ns", "governor_took_ns",
};

static void print_share(FILE *out, uint64_t part, uint64_t total)
{
	char percent[PP_PERCENT_SIZE];

	pp_percent(percent, part, total);
	fprintf(out, "%" PRIu64 " (%s%%)", part, percent + strspn(percent, " "));
}

/* Print the command that makes a running daemon write its totals, quoted for a shell. */
static void print_dump(const struct pp_report *report)
{
	char option[OP_SESSION_OPTION_SIZE];

	fprintf(report->out, "opcontrol%s --dump brings them up to date\n",
		op_session_option(option, report->session->dir));
}

static void print_reported(const struct pp_report *report, const struct accounts *accounts)
{
	FILE *out = report->out;

	/* A probe's totals count signals, but its events may count bytes, so reported and stored
	 * samples cannot be compared. */
	if (report->session->nr_profiles)
		return;
	if (accounts->is_part) {
		fputs("  in this report: ", out);
		if (accounts->reported <= accounts->stored)
			print_share(out, accounts->reported, accounts->stored);
		else
			fprintf(out, "%" PRIu64, accounts->reported);
		fputs(" of the stored samples\n", out);
	} else if (accounts->reported > accounts->stored && accounts->unknown) {
		fprintf(out, "  %" PRIu64 " more %s in this report, of intervals whose totals are "
			"unknown\n", accounts->reported - accounts->stored,
			op_plural(accounts->reported - accounts->stored, "sample is", "samples are"));
	} else if (accounts->reported > accounts->stored &&
		   accounts->reported - accounts->stored > accounts->behind) {
		fprintf(out, "  %" PRIu64 " %s more than were stored: damaged%s\n",
			accounts->reported - accounts->stored,
			op_plural(accounts->reported - accounts->stored, "sample", "samples"),
			accounts->is_live ? "" : ", or its daemon was killed");
	} else if (accounts->reported > accounts->stored) {
		/* Do not suggest a dump, because new samples would be pending before the report
		 * reads the files. */
		fprintf(out,
			"  %" PRIu64 " more %s came since these numbers were written; a running "
				     "daemon writes them once "
			"a second\n",
			accounts->reported - accounts->stored,
			op_plural(accounts->reported - accounts->stored, "sample", "samples"));
	} else if (accounts->reported < accounts->stored) {
		fprintf(out, "  %" PRIu64 " of the stored samples %s in no file of this session\n",
			accounts->stored - accounts->reported,
			op_plural(accounts->stored - accounts->reported, "is", "are"));
	}
}

static void print_sums(const struct pp_report *report, const struct accounts *accounts)
{
	FILE *out = report->out;

	fprintf(out, "Samples taken: %" PRIu64 ", stored: %" PRIu64 ", lost: ", accounts->taken,
		accounts->stored);
	if (accounts->lost)
		print_share(out, accounts->lost, accounts->taken);
	else
		fputs("none", out);
	if (accounts->excluded)
		fprintf(out, ", left out as asked: %" PRIu64, accounts->excluded);
	if (accounts->pending)
		fprintf(out, ", still on their way: %" PRIu64, accounts->pending);
	putc('\n', out);
	if (!accounts->add_up) {
		fputs("  WARNING: these numbers do not add up", out);
		/* Suggest a dump only for a running session: no daemon can add missing samples to
		 * an archive or a saved session. */
		if (accounts->is_live) {
			fputs("; ", out);
			print_dump(report);
		} else {
			putc('\n', out);
		}
	}
	print_reported(report, accounts);
}

/* Return whether @app is the program with the path @path. In @app, the ids and the name of a thread
 * may follow the path. */
static bool is_program(const char *app, const char *path)
{
	size_t len = strlen(path);

	return len && len == pp_task_path_len(app) && !memcmp(app, path, len);
}

/* Return whether @app is one of the profiler's own programs. Compare whole paths, because users may
 * have programs with the same names. */
static bool is_own(const struct pp_session *session, const char *app)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		if (is_program(app, session->about[i].daemon) ||
		    is_program(app, session->about[i].reader) ||
		    is_program(app, session->about[i].packer))
			return true;
	return false;
}

/* Print the share of the profiler's own samples: on an idle machine the profiler may be the busiest
 * program. */
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
	fputs("  the profiler itself (oprofiled, opsymbols, opintervals): ", out);
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

/* Print the share of CPU time that sampling took, if the kernel throttled sampling. */
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
		return;		/* omit this counter: print_sums() prints it */
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

/* Print the totals of the session that ran beside a program's profile and has the kernel's samples.
 * These totals cover all programs on the machine. */
static void print_whole_session(FILE *out, const struct op_session_stats *beside)
{
	uint64_t taken = op_session_stats_sum(beside, OP_STAT_TAKEN),
		 lost = op_session_stats_sum(beside, OP_STAT_LOSS);

	if (!taken)
		return;
	fprintf(out, "The whole session, with all programs: samples taken: %" PRIu64 ", lost: ",
		taken);
	print_share(out, lost, taken);
	putc('\n', out);
}

/* Return whether a profile of the session has counted calls. A profile may have calls but no
 * samples. */
static bool has_calls(const struct pp_session *session)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		if (session->sources[i]->of_calls.recorded)
			return true;
	return false;
}

/* Print the number of samples of idle threads that the report leaves out. */
static void print_idle_waits(FILE *out, const struct pp_session *session)
{
	if (session->idle[OP_NOT_IDLE])
		fprintf(out, "  not in this report: threads that wait for work: %" PRIu64
			     " samples in poll, %" PRIu64 " in sleep, %" PRIu64
			     " for a condition; --idle includes them\n",
			session->idle[OP_IDLE_POLL], session->idle[OP_IDLE_SLEEP],
			session->idle[OP_IDLE_CONDITION]);
}

void pp_text_losses(const struct pp_report *report, const struct pp_session *session,
		    const struct pp_profile *profile)
{
	const struct op_session_stats *stats = &session->stats;
	const struct accounts accounts = sum_accounts(session, profile);

	print_whole_session(report->out, &session->beside);
	if (session->has_stats && (accounts.taken || !has_calls(session)))
		print_sums(report, &accounts);
	print_idle_waits(report->out, session);
	if (!session->has_stats)
		return;
	print_own(report->out, session, profile);
	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (pp_is_loss(v))
			print_loss(report->out, v, accounts.taken);
	}
	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (v->value && (!v->desc || v->desc->kind == OP_STAT_INFO))
			print_info(report, stats, v);
	}
}
