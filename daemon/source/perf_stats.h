/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_stats.h -- statistics of the perf_events source, which become part of the session's
 * statistics: counters of samples, and the machine's idle time.
 */
#ifndef OPD_PERF_STATS_H
#define OPD_PERF_STATS_H

#include <stdint.h>

#include "libop/event/choose.h"

struct opd_perf_counters;	/* see daemon/source/perf_attribute.h */
struct opd_perf_cpus;
struct opd_perf_stacks_counters;	/* see daemon/source/perf_stacks.h */
struct opd_perf_waits;
struct op_session_stats;

struct opd_perf_stats {
	/* number of lost samples that records in the rings report; only used if the kernel does not
	 * report the total */
	uint64_t lost_ring;
	uint64_t lost_pmu, lost_notices, throttled;
	/* number of lost records of context switches that records in the rings report; only used if
	 * the kernel does not report the total */
	uint64_t lost_switches;
	/* number of samples of each event that are missing because the kernel throttled the
	 * event */
	uint64_t lost_throttled[OP_MAX_EVENTS];
	/* .idle_ns: the machine's idle time during the runs of sampling that have ended;
	 * .idle_start: its idle time since boot at the start of the current run */
	uint64_t idle_ns, idle_start;
};

/* Call when sampling starts: begin to measure the machine's idle time. */
void opd_perf_stats_begin_run(struct opd_perf_stats *st);
/* Call when sampling has stopped: add the machine's idle time since opd_perf_stats_begin_run(). */
void opd_perf_stats_end_run(struct opd_perf_stats *st);

/*
 * Find the samples that were neither received nor lost for a known reason, and count them as
 * throttled by the kernel. Call this after opd_perf_cpus_read_lost() and a drain of all samples up
 * to the time of that call.
 */
void opd_perf_stats_account(struct opd_perf_stats *st, const struct opd_perf_cpus *cpus,
			    const struct opd_perf_counters *attributed);

/* Add all counters and times to @stats. @attributed: counters of attribution (perf_attribute.h).
 * @stacks: counters of stack walks; NULL if stacks are not unwound. @waits: NULL if waits are not
 * sampled. Return 0 or -ENOMEM. */
int opd_perf_stats_report(const struct opd_perf_stats *st, const struct opd_perf_cpus *cpus,
			  const struct opd_perf_counters *attributed,
			  const struct opd_perf_stacks_counters *stacks,
			  const struct opd_perf_waits *waits,
			  struct op_session_stats *stats);

#endif
