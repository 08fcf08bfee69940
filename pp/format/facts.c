// SPDX-License-Identifier: GPL-2.0-or-later
/* facts.c -- the header of a report in other formats than text. */
#include "config.h"
#include "pp/format/facts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/interval.h"
#include "intervals/store.h"
#include "libop/cpu/type.h"
#include "libop/event/spec.h"
#include "libop/raw/probe_words.h"
#include "pp/format/text.h"
#include "pp/session/range.h"

#define NANO	((int64_t)1000000000)

static const char *kind_of(const struct op_stat_desc *desc)
{
	if (!desc)
		return "unknown";
	switch (desc->kind) {
	case OP_STAT_TAKEN:
		return "taken";
	case OP_STAT_STORED:
		return "stored";
	case OP_STAT_LOSS:
		return "loss";
	default:
		return "info";
	}
}

bool pp_facts_has_losses(const struct pp_session *session)
{
	if (!session->has_stats || op_session_stats_sum(&session->stats, OP_STAT_TAKEN) ||
	    op_session_stats_sum(&session->stats, OP_STAT_LOSS))
		return session->has_stats;
	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		if (session->sources[i]->of_calls.recorded)
			return false;
	return true;
}

static void add_losses(struct op_json *json, const struct pp_session *session)
{
	const struct op_session_stats *stats = &session->stats;

	op_json_key(json, "losses");
	if (!pp_facts_has_losses(session)) {
		op_json_word(json, "null");
		return;
	}
	op_json_begin(json, '{');
	op_json_add_uint(json, "taken", op_session_stats_sum(stats, OP_STAT_TAKEN));
	op_json_add_uint(json, "stored", op_session_stats_sum(stats, OP_STAT_STORED));
	op_json_add_uint(json, "lost", op_session_stats_sum(stats, OP_STAT_LOSS));
	op_json_begin_key(json, "counters", '[');
	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (!v->value)
			continue;
		op_json_begin(json, '{');
		op_json_add_string(json, "name", v->name);
		op_json_add_string(json, "kind", kind_of(v->desc));
		op_json_add_uint(json, "value", v->value);
		if (v->desc)
			op_json_add_string(json, "meaning", v->desc->what);
		if (v->desc && v->desc->advice)
			op_json_add_string(json, "advice", v->desc->advice);
		op_json_end(json, '}');
	}
	op_json_end(json, ']');
	op_json_end(json, '}');
}

/* Write the numbers of samples of idle threads that the report leaves out. */
static void add_idle_waits(struct op_json *json, const struct pp_session *session)
{
	if (!session->idle[OP_NOT_IDLE])
		return;
	op_json_begin_key(json, "idle_waits", '{');
	op_json_add_uint(json, "poll", session->idle[OP_IDLE_POLL]);
	op_json_add_uint(json, "sleep", session->idle[OP_IDLE_SLEEP]);
	op_json_add_uint(json, "condition", session->idle[OP_IDLE_CONDITION]);
	op_json_end(json, '}');
}

static void add_sessions(struct op_json *json, const struct pp_session *session)
{
	op_json_begin_key(json, "sessions", '[');
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct op_session_about *about = &session->about[i];

		if (!about->begun)
			continue;
		op_json_begin(json, '{');
		op_json_add_uint(json, "begun", about->begun);
		op_json_add_uint(json, "ended", about->ended);
		if (about->sampled_ms)
			op_json_add_uint(json, "sampled_ms", about->sampled_ms);
		op_json_add_string(json, "host", about->host);
		op_json_add_string(json, "kernel", about->kernel);
		op_json_add_string(json, "command", about->command);
		op_json_add_string(json, "limits", about->limits);
		op_json_end(json, '}');
	}
	op_json_end(json, ']');
}

static void add_rate(struct op_json *json, const struct pp_source_rate *rate)
{
	op_json_begin_key(json, "rate", '{');
	op_json_add_string(json, "event", rate->event ? rate->event : OP_EVENT_TIMER);
	op_json_add_string(json, "driver", raw_probe_drivers[rate->driver]);
	if (rate->refused)
		op_json_add_string(json, "perf_refused", strerror((int)rate->refused));
	op_json_add_uint(json, "signals", rate->signals);
	op_json_add_uint(json, "period_ns", rate->period_ns);
	op_json_add_uint(json, "sampled_ns", rate->cpu_ns);
	op_json_end(json, '}');
}

static void add_whole(struct op_json *json, const char *key, const struct pp_source_whole *of)
{
	if (!of->recorded)
		return;
	op_json_begin_key(json, key, '{');
	op_json_add_uint(json, "recorded", of->recorded);
	op_json_add_uint(json, "whole", of->whole);
	op_json_end(json, '}');
}

/* Write the facts about profiles that programs wrote about themselves. Sessions of the daemon lack
 * such facts. */
static void add_profiled(struct op_json *json, const struct pp_session *session)
{
	if (!session->nr_profiles)
		return;
	op_json_begin_key(json, "profiled", '[');
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		const struct pp_source *source = session->sources[i];

		if (!source->memory)
			continue;
		op_json_begin(json, '{');
		op_json_add_string(json, "file", source->path);
		if (source->command)
			op_json_add_string(json, "command", source->command);
		op_json_add_string(json, "from", source->from_outside ? "outside" : "inside");
		if (pp_source_rate_is_known(&source->rate))
			add_rate(json, &source->rate);
		add_whole(json, "paths_of_samples", &source->of_signals);
		add_whole(json, "paths_of_calls", &source->of_calls);
		op_json_end(json, '}');
	}
	op_json_end(json, ']');
}

const char *pp_facts_step(unsigned int step)
{
	static const char *const words[ITV_NR_STEPS] = { "interval", "hour", "day", "month" };

	return step < ITV_NR_STEPS ? words[step] : "unknown";
}

int64_t pp_facts_range_end(const struct pp_range *range)
{
	int64_t end = range->time.parts[0].end;

	for (size_t i = 1; i < range->time.nr_parts; i++)
		end = range->time.parts[i].end > end ? range->time.parts[i].end : end;
	return end;
}

static void add_time(struct op_json *json, const char *key, int64_t time)
{
	op_json_key(json, key);
	op_json_int(json, time);
}

/* Write the number and the times of the intervals, if the profile was read from intervals. */
static void add_times(struct op_json *json, const char *key, const struct itv_range_times *times)
{
	if (!times->nr)
		return;
	op_json_begin_key(json, key, '{');
	op_json_add_uint(json, "intervals", times->nr);
	add_time(json, "begin", times->begin);
	add_time(json, "end", times->end);
	op_json_end(json, '}');
}

void pp_facts_json_range(struct op_json *json, const struct pp_range *range)
{
	op_json_begin_key(json, "range", '{');
	op_json_begin_key(json, "asked", '[');
	for (size_t i = 0; i < range->time.nr_asked; i++) {
		op_json_begin(json, '{');
		add_time(json, "begin", range->time.asked[i].begin);
		add_time(json, "end", range->time.asked[i].end);
		op_json_end(json, '}');
	}
	op_json_end(json, ']');
	add_time(json, "begin", range->time.parts[0].begin);
	add_time(json, "end", pp_facts_range_end(range));
	op_json_begin_key(json, "intervals", '{');
	for (unsigned int step = 0; step < ITV_NR_STEPS; step++) {
		uint64_t nr = 0;

		for (size_t i = 0; i < range->time.nr_parts; i++)
			nr += range->time.parts[i].step == step;
		op_json_add_uint(json, pp_facts_step(step), nr);
	}
	op_json_end(json, '}');
	op_json_begin_key(json, "gaps", '[');
	for (size_t i = 0; i < range->time.nr_gaps; i++) {
		const struct itv_gap *gap = &range->time.gaps[i];

		/* A gap that begins at time 0 is not reported: it only means that the requested
		 * period has no beginning. */
		if (!gap->from_ns)
			continue;
		op_json_begin(json, '{');
		add_time(json, "begin", gap->from_ns / NANO);
		add_time(json, "end", gap->to_ns / NANO);
		op_json_add_string(json, "reason", gap->reason);
		op_json_end(json, '}');
	}
	op_json_end(json, ']');
	add_times(json, "overlaps", &range->time.overlaps);
	add_times(json, "future", &range->time.future);
	op_json_end(json, '}');
}

void pp_facts_json_session(struct op_json *json, const struct pp_session *session)
{
	if (session->range)
		pp_facts_json_range(json, session->range);
	add_sessions(json, session);
	add_profiled(json, session);
	add_losses(json, session);
	add_idle_waits(json, session);
}

void pp_facts_json(struct op_json *json, const struct pp_report *report)
{
	const struct pp_session *session = report->session;
	/* Profiles that probes wrote do not record the CPU type. */
	bool are_profiles = session->nr_profiles == session->nr_samples_dirs;
	const struct op_cpu_desc *cpu =
		are_profiles ? NULL : op_cpu_by_number(report->profile->cpu_type);

	op_json_add_string(json, "command", report->command);
	op_json_begin_key(json, "cpu", '{');
	op_json_add_string(json, "type", cpu ? cpu->name : "unknown");
	op_json_add_string(json, "name", cpu ? cpu->pretty : "unknown");
	op_json_key(json, "mhz");
	op_json_double(json, report->profile->cpu_speed);
	op_json_end(json, '}');
	pp_facts_json_session(json, report->session);
}

char *pp_facts_text(const struct pp_report *report)
{
	struct pp_format_options options = *report->options;
	struct pp_report copy = *report;
	char *text = NULL;
	size_t size;
	int err;

	options.show_header = 1;
	copy.options = &options;
	copy.out = open_memstream(&text, &size);
	if (!copy.out)
		return NULL;
	err = pp_text_header(&copy);
	if (fclose(copy.out) || err) {
		free(text);
		return NULL;
	}
	return text;
}
