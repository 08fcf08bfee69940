// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_stats.c -- statistics of the perf_events source, which become part of the session's
 * statistics. */
#include "config.h"
#include "daemon/source/perf_stats.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/source/perf_attribute.h"
#include "daemon/source/perf_cpus.h"
#include "daemon/source/perf_stacks.h"
#include "daemon/source/perf_waits.h"
#include "libop/event/spec.h"
#include "libop/session/stats.h"

/* Return the machine's idle time since boot in ns, or 0 if the kernel does not report it. */
static uint64_t read_idle(void)
{
	unsigned long long idle = 0, iowait = 0;
	FILE *f = fopen("/proc/stat", "re");
	long hz = sysconf(_SC_CLK_TCK);

	if (!f || hz <= 0 || fscanf(f, "cpu %*u %*u %*u %llu %llu", &idle, &iowait) != 2)
		idle = iowait = 0;
	if (f)
		fclose(f);
	return hz > 0 ? (idle + iowait) * (1000000000ull / (uint64_t)hz) : 0;
}

static uint64_t idle_since_start(const struct opd_perf_stats *st)
{
	uint64_t now = read_idle();

	return now < st->idle_start ? 0 : now - st->idle_start;
}

void opd_perf_stats_begin_run(struct opd_perf_stats *st)
{
	st->idle_start = read_idle();
}

void opd_perf_stats_end_run(struct opd_perf_stats *st)
{
	st->idle_ns += idle_since_start(st);
}

/*
 * For each hardware event, add two times to @stats: the time for which the event was enabled, and
 * the time for which it was counting. The times differ if events share the CPU's counters. Skip
 * timers, software events and tracepoints, which always count.
 */
static int add_event_times(const struct opd_perf_cpus *cpus, struct op_session_stats *stats)
{
	const struct opd_perf_setup *setup = &cpus->plan->setup;
	char name[OP_EVENT_TIME_NAME];
	int err = 0;

	for (size_t i = 0; i < setup->nr_events; i++) {
		const struct op_event_spec *e = &setup->events[i];
		const uint64_t ns[] = { cpus->times[i].enabled, cpus->times[i].running };

		if (!strcmp(e->name, OP_EVENT_TIMER) || op_perf_code(setup->pmus, 0, i)->is_made ||
		    op_perf_code_is_software(op_perf_code(setup->pmus, 0, i)))
			continue;
		for (int which = 0; which < 2 && !err; which++) {
			if (op_event_time_name(name, sizeof(name), which, e->name, e->count, e->um))
				break;
			err = op_session_stats_add(stats, name, ns[which]);
		}
	}
	return err;
}

/*
 * Return true if the number of samples of event @i can be computed from the count of the event.
 * This is impossible for an event of a task, because each new task restarts the period, so the rest
 * of the period is lost for each task; for an event of whole CPUs with --pid, because other
 * processes are counted, too; and for events whose hardware counter overflows late. The kernel must
 * also report the number of samples that were lost in the rings.
 */
static bool is_accounted(const struct opd_perf_plan *plan, size_t i)
{
	const struct opd_perf_setup *setup = &plan->setup;
	const struct op_perf_code *code = op_perf_code(setup->pmus, 0, i);

	return setup->has_lost_format && op_perf_code_is_software(code) && !plan->whole &&
	       (setup->events[i].count == 1 || !setup->nr_pids);
}

void opd_perf_stats_account(struct opd_perf_stats *st, const struct opd_perf_cpus *cpus,
			    const struct opd_perf_counters *attributed)
{
	const struct opd_perf_setup *setup = &cpus->plan->setup;

	for (size_t i = 0; i < setup->nr_events; i++) {
		const struct opd_perf_times *t = &cpus->times[i];
		const uint64_t known = attributed->received_of[i] + t->lost +
				       st->lost_throttled[i];

		if (is_accounted(cpus->plan, i) && t->due > known)
			st->lost_throttled[i] += t->due - known;
	}
}

static uint64_t sum_throttled(const struct opd_perf_stats *st)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < OP_MAX_EVENTS; i++)
		sum += st->lost_throttled[i];
	return sum;
}

/* Add the counters of waits, whose names are those of the kernel module. */
static int add_waits(const struct opd_perf_stats *st, const struct opd_perf_cpus *cpus,
		     const struct opd_perf_waits *waits, struct op_session_stats *stats)
{
	const struct opd_perf_waits_counters *c = opd_perf_waits_counters(waits);
	uint64_t rest, ahead;
	int err = 0;

	opd_perf_waits_rests(waits, &rest, &ahead);

	const struct {
		const char *name;
		uint64_t value;
	} values[] = {
		{ "perf_lost_switches", st->lost_switches + cpus->lost_switches },
		{ "offcpu_ns", c->ns },
		{ "offcpu_not_asked", c->not_asked },
		{ "offcpu_rest_ns", rest },
		{ "offcpu_ahead_ns", ahead },
		{ "offcpu_lost_waits", c->lost_waits },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]) && !err; i++)
		err = op_session_stats_add(stats, values[i].name, values[i].value);
	return err;
}

int opd_perf_stats_report(const struct opd_perf_stats *st, const struct opd_perf_cpus *cpus,
			  const struct opd_perf_counters *attributed,
			  const struct opd_perf_stacks_counters *stacks,
			  const struct opd_perf_waits *waits,
			  struct op_session_stats *stats)
{
	uint64_t lost_ring = st->lost_ring + cpus->lost, idle = st->idle_ns;
	const uint64_t lost_throttled = sum_throttled(st);
	int err = 0;

	if (cpus->enabled)
		idle += idle_since_start(st);
	/* If only single processes are sampled, do not report the machine's idle time, which is
	 * then of no use. */
	if (cpus->plan->setup.nr_pids)
		idle = 0;

	const struct {
		const char *name;
		uint64_t value;
	} values[] = {
		{ "perf_taken", attributed->received + lost_ring + st->lost_pmu + lost_throttled },
		{ "perf_lost_ring", lost_ring },
		{ "perf_lost_pmu", st->lost_pmu },
		{ "perf_lost_throttled", lost_throttled },
		{ "perf_lost_mode", attributed->lost_mode },
		{ "perf_lost_process", attributed->lost_process },
		{ "perf_lost_hidden", attributed->lost_hidden },
		{ "perf_lost_unread", attributed->lost_unread },
		{ "perf_lost_mapping", attributed->lost_mapping },
		{ "perf_lost_event", attributed->lost_event },
		{ "perf_throttled", st->throttled },
		{ "perf_lost_notices", st->lost_notices },
		{ "perf_bad_records", opd_perf_cpus_bad(cpus) },
		{ "stacks_shortened", opd_perf_cpus_shortened(cpus) },
		{ "idle_ns", idle },
		{ "stacks_kept", stacks ? stacks->kept : 0 },
		{ "stacks_read", stacks ? stacks->read : 0 },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]) && !err; i++)
		err = op_session_stats_add(stats, values[i].name, values[i].value);
	if (!err && waits)
		err = add_waits(st, cpus, waits, stats);
	return err ? err : add_event_times(cpus, stats);
}
