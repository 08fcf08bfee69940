/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_stats.h -- counters of perf_events' samples, and the idle time of the machine, for the
 * session's statistics.
 */
#ifndef OPD_PERF_STATS_H
#define OPD_PERF_STATS_H

#include <stdint.h>

struct opd_perf_counters;	/* daemon/source/perf_attribute.h */
struct opd_perf_cpus;
struct opd_perf_stacks_counters;	/* daemon/source/perf_stacks.h */
struct op_session_stats;

struct opd_perf_stats {
	/* samples lost according to records: only if the kernel does not report the total */
	uint64_t lost_ring;
	uint64_t lost_pmu, lost_notices, throttled;
	uint64_t idle_ns, idle_start;	/* idle_start: start of the current run */
};

/* Begin or end a run: the machine's idle time counts between these calls. */
void opd_perf_stats_begin_run(struct opd_perf_stats *st);
void opd_perf_stats_end_run(struct opd_perf_stats *st);

/* Add all numbers to @stats. @attributed: the attributor's counts of the samples. @stacks: NULL if
 * no stacks are walked. */
int opd_perf_stats_report(const struct opd_perf_stats *st, const struct opd_perf_cpus *cpus,
			  const struct opd_perf_counters *attributed,
			  const struct opd_perf_stacks_counters *stacks,
			  struct op_session_stats *stats);

#endif
