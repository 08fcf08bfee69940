/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_stats.h -- statistics of the perf_events source for the session: counters of samples, and
 * the idle time of the machine.
 */
#ifndef OPD_PERF_STATS_H
#define OPD_PERF_STATS_H

#include <stdint.h>

#include "libop/event/choose.h"

struct opd_perf_counters;	/* see daemon/source/perf_attribute.h */
struct opd_perf_cpus;
struct opd_perf_stacks_counters;	/* see daemon/source/perf_stacks.h */
struct op_session_stats;

struct opd_perf_stats {
	/* number of lost samples, as the records in the rings report it; used only if the kernel
	 * does not report the total */
	uint64_t lost_ring;
	uint64_t lost_pmu, lost_notices, throttled;
	/* samples of each event that the kernel did not take while it throttled the event */
	uint64_t lost_throttled[OP_MAX_EVENTS];
	/* .idle_ns: the machine's idle time in the completed runs of sampling; .idle_start: the
	 * machine's idle time since boot when the current run began */
	uint64_t idle_ns, idle_start;
};

/* Note that a run of sampling begins or ends. The machine's idle time is counted between the two
 * calls. */
void opd_perf_stats_begin_run(struct opd_perf_stats *st);
void opd_perf_stats_end_run(struct opd_perf_stats *st);

/*
 * Count the events that happened and are neither samples nor other losses: the kernel throttled
 * them. Call this after opd_perf_cpus_ask() and after a drain of all samples up to that time.
 */
void opd_perf_stats_account(struct opd_perf_stats *st, const struct opd_perf_cpus *cpus,
			    const struct opd_perf_counters *attributed);

/* Add all counters and times to @stats. @attributed: the attributor's counters of samples. @stacks:
 * NULL if no stacks are unwound. Return 0 or -ENOMEM. */
int opd_perf_stats_report(const struct opd_perf_stats *st, const struct opd_perf_cpus *cpus,
			  const struct opd_perf_counters *attributed,
			  const struct opd_perf_stacks_counters *stacks,
			  struct op_session_stats *stats);

#endif
