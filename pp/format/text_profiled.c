// SPDX-License-Identifier: GPL-2.0-or-later
/* text_profiled.c -- commands, rates and shares of whole paths of all files of a report
 * together. */
#include "config.h"
#include "pp/format/text_profiled.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/event/spec.h"
#include "libop/raw/probe_words.h"
#include "pp/format/percent.h"

/* columns of commands; if they are longer, only names of programs are printed */
#define MANY 160

/* Return the program's name in a command, and its length. */
static size_t name_of(const char **ret, const char *command)
{
	size_t len = strcspn(command, " ");

	*ret = command;
	for (size_t i = 0; i < len; i++)
		if (command[i] == '/')
			*ret = command + i + 1;
	return command + len - *ret;
}

static bool same_name(const struct pp_source *a, const struct pp_source *b)
{
	const char *x, *y;
	size_t len;

	if (!a->command || !b->command)
		return false;
	len = name_of(&x, a->command);
	return len == name_of(&y, b->command) && !memcmp(x, y, len);
}

/* "as (6), cc1 (6), make". */
static void print_names(FILE *out, const struct pp_session *session)
{
	bool is_first = true;

	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct pp_source *source = session->sources[i];
		size_t nr = 0, j = i;
		const char *name;
		int len;

		while (j && !same_name(source, session->sources[j - 1]))
			j--;
		if (j || !source->command)
			continue;
		for (j = i; j < session->nr_samples_dirs; j++)
			nr += same_name(source, session->sources[j]);
		len = (int)name_of(&name, source->command);
		op_clean_printf(out, "%s%.*s", is_first ? "" : ", ", len, name);
		if (nr > 1)
			fprintf(out, " (%zu)", nr);
		is_first = false;
	}
}

static void print_commands(FILE *out, const struct pp_session *session)
{
	struct op_session_about all = { 0 };
	uint32_t outside = 0;

	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		if (session->sources[i]->command) {
			op_session_about_add_command(&all, session->sources[i]->command);
			outside += session->sources[i]->from_outside;
		}
	if (!all.nr_commands)
		return;
	fprintf(out, "Profiled from %s: ",
		!outside		    ? "inside"
		: outside < all.nr_commands ? "inside and outside"
					    : "outside");
	if (all.nr_commands > 1 && strlen(all.command) > MANY)
		print_names(out, session);
	else
		op_clean_printf(out, "%s", all.command);
	if (all.nr_commands > 1)
		fprintf(out, " (%" PRIu32 " files)", all.nr_commands);
	putc('\n', out);
}

/* Rates of files that were sampled in the same way, which can be summed. */
static bool same_way(const struct pp_source_rate *a, const struct pp_source_rate *b)
{
	return a->driver == b->driver && a->refused == b->refused && a->period_ns == b->period_ns &&
	       (a->event && b->event ? !strcmp(a->event, b->event) : a->event == b->event);
}

/* Each thread's file has the rate of the whole process. */
static bool same_process(const struct pp_source *x, const struct pp_source *y)
{
	const struct pp_source_rate *a = &x->rate, *b = &y->rate;

	return same_way(a, b) && a->signals == b->signals && a->cpu_ns == b->cpu_ns &&
	       (x->command && y->command ? !strcmp(x->command, y->command)
					 : x->command == y->command);
}

static bool samples_time(const struct pp_source *source, uint64_t period_ns)
{
	for (size_t i = 0; i < source->nr_classes; i++)
		if (!strcmp(source->classes[i].event, OP_EVENT_TIMER) &&
		    source->classes[i].count == period_ns)
			return true;
	return false;
}

/* Files without a rate, because their programs were killed. */
static size_t count_silent(const struct pp_session *session, uint64_t period_ns)
{
	size_t nr = 0;

	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		nr += session->sources[i]->memory && session->sources[i]->has_paths &&
		      !pp_source_rate_is_known(&session->sources[i]->rate) &&
		      samples_time(session->sources[i], period_ns);
	return nr;
}

static void print_rate(FILE *out, const struct pp_session *session,
		       const struct pp_source_rate *rate)
{
	bool is_perf = rate->driver == RAW_PROBE_PERF;
	size_t silent = rate->event ? 0 : count_silent(session, rate->period_ns);

	fputs("  ", out);
	if (rate->refused)
		fprintf(out, "perf_event_open() was refused (%s), so ",
			strerror((int)rate->refused));
	fprintf(out, "%s by %s: %" PRIu64 " signals in %.3f s of %s%s, "
		"%.0f of %.0f requested a second%s",
		rate->event ? rate->event : OP_EVENT_TIMER, raw_probe_drivers[rate->driver],
		rate->signals, rate->cpu_ns / 1e9, rate->clock ? rate->clock : "CPU time",
		is_perf && !rate->clock ? " in user mode" : "", rate->signals * 1e9 / rate->cpu_ns,
		1e9 / rate->period_ns,
		is_perf || rate->event ? "" : ", each for the time since the one before");
	if (silent)
		fprintf(out, "; %zu more file%s not tell", silent, silent > 1 ? "s do" : " does");
	putc('\n', out);
}

static void print_rates(FILE *out, const struct pp_session *session)
{
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		struct pp_source_rate sum = session->sources[i]->rate;
		bool is_first = pp_source_rate_is_known(&sum);

		for (size_t j = 0; j < i && is_first; j++)
			is_first = !same_way(&session->sources[j]->rate, &sum);
		if (!is_first)
			continue;
		for (size_t j = i + 1; j < session->nr_samples_dirs; j++) {
			const struct pp_source_rate *rate = &session->sources[j]->rate;
			bool is_new = pp_source_rate_is_known(rate) &&
				      same_way(rate, &session->sources[i]->rate);

			for (size_t k = i; k < j && is_new; k++)
				is_new = !same_process(session->sources[k], session->sources[j]);
			if (!is_new)
				continue;
			sum.signals += rate->signals;
			sum.cpu_ns += rate->cpu_ns;
		}
		print_rate(out, session, &sum);
	}
}

void pp_text_profiled(FILE *out, const struct pp_session *session)
{
	print_commands(out, session);
	print_rates(out, session);
}

static void print_whole(FILE *out, struct pp_source_whole of, const char *one, const char *many)
{
	char percent[PP_PERCENT_SIZE];

	pp_percent(percent, of.whole < of.recorded ? of.whole : of.recorded, of.recorded);
	fprintf(out, "%s %% of %" PRIu64 " %s", percent + strspn(percent, " "), of.recorded,
		op_plural(of.recorded, one, many));
}

void pp_text_whole_paths(FILE *out, const struct pp_session *session)
{
	struct pp_source_whole signals = { 0 }, calls = { 0 };

	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct pp_source *source = session->sources[i];

		signals.recorded += source->of_signals.recorded;
		signals.whole += source->of_signals.whole;
		calls.recorded += source->of_calls.recorded;
		calls.whole += source->of_calls.whole;
	}
	if (!signals.recorded && !calls.recorded)
		return;
	fputs("The whole path is known for ", out);
	if (signals.recorded)
		print_whole(out, signals, "sample", "samples");
	if (signals.recorded && calls.recorded)
		fputs(" and of ", out);
	if (calls.recorded)
		print_whole(out, calls, "call", "calls");
	fputs(".\n", out);
}
