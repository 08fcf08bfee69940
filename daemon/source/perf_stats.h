/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_stats.h -- what became of the samples of perf_events, and how long the machine idled meanwhile, as the session's
 * numbers.
 */
#ifndef OPD_PERF_STATS_H
#define OPD_PERF_STATS_H

#include <stdint.h>

struct opd_perf_counters;	/* daemon/source/perf_attribute.h */
struct opd_perf_cpus;
struct opd_perf_stacks_counters;	/* daemon/source/perf_stacks.h */
struct op_session_stats;

struct opd_perf_stats {
	uint64_t lost_ring;		/* as records told: only where the kernel does not tell the total */
	uint64_t lost_pmu, lost_notices, throttled;
	uint64_t idle_ns, idle_start;	/* idle_start: of the current run */
};

/* A run begins, or ends: the machine's idle time between counts. */
void opd_perf_stats_begin_run(struct opd_perf_stats *st);
void opd_perf_stats_end_run(struct opd_perf_stats *st);

/* Add all numbers to @stats. @attributed: the attributor's counts of the samples. @stacks: NULL if
 * no stacks are walked. */
int opd_perf_stats_report(const struct opd_perf_stats *st, const struct opd_perf_cpus *cpus,
			const struct opd_perf_counters *attributed, const struct opd_perf_stacks_counters *stacks,
			struct op_session_stats *stats);

#endif
