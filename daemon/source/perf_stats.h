/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_stats.h -- statistics of the perf_events source for the session: counters of samples, and
 * the idle time of the machine.
 */
#ifndef OPD_PERF_STATS_H
#define OPD_PERF_STATS_H

#include <stdint.h>

struct opd_perf_counters;	/* daemon/source/perf_attribute.h */
struct opd_perf_cpus;
struct opd_perf_stacks_counters;	/* daemon/source/perf_stacks.h */
struct op_session_stats;

struct opd_perf_stats {
	/* number of samples lost according to records in the rings; counted only if the kernel does
	 * not report the total */
	uint64_t lost_ring;
	uint64_t lost_pmu, lost_notices, throttled;
	/* idle time of completed runs; and the machine's idle time when the current run began */
	uint64_t idle_ns, idle_start;
};

/* Begin or end a run of sampling: the machine's idle time is counted between these calls. */
void opd_perf_stats_begin_run(struct opd_perf_stats *st);
void opd_perf_stats_end_run(struct opd_perf_stats *st);

/* Add all counters and times to @stats. @attributed: the attributor's counters of samples. @stacks:
 * NULL if no stacks are walked. Return 0 or -ENOMEM. */
int opd_perf_stats_report(const struct opd_perf_stats *st, const struct opd_perf_cpus *cpus,
			  const struct opd_perf_counters *attributed,
			  const struct opd_perf_stacks_counters *stacks,
			  struct op_session_stats *stats);

#endif
