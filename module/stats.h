/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats.h -- the accounting of interrupts: a table of per-CPU counters, from which the struct, the
 * names and the files (stats_files.c) are made.
 *
 * After sampling has stopped, sample_received == samples written to the event buffer + all
 * sample_lost_* and event_lost_* counters + sample_invalid_eip + sample_unresolved. Counters are
 * written with this_cpu_inc() in any context.
 */
#ifndef OPROFILE_STATS_H
#define OPROFILE_STATS_H

#include <linux/types.h>

#define OPROFILE_STATS(X)							\
	X(sample_received)		/* interrupts taken */			\
	X(sample_lost_overflow)		/* CPU buffer full */			\
	X(sample_lost_pending)		/* no lookup left in the pool */		\
	X(sample_lost_task_exit)	/* the task was exiting */		\
	X(sample_lost_no_mm)		/* user address of a task without mm */	\
	X(sample_lost_no_mapping)	/* no mapping at the address */		\
	X(sample_lost_map_busy)		/* the memory map was locked for a change */ \
	X(sample_lost_user_quota)	/* too many of one user's tasks held lookups */ \
	X(sample_lost_no_cookie)	/* too many files, or no memory */	\
	X(sample_lost_impossible)	/* an offset that no file has */	\
	X(sample_invalid_eip)		/* invalid address */			\
	X(event_lost_overflow)		/* event buffer full */			\
	X(user_resolved)		/* user addresses looked up */		\
	X(governor_throttled)		/* times the rate was halved */		\
	X(governor_looked_ns)		/* time measured before each halving */	\
	X(governor_took_ns)		/* part of governor_looked_ns spent sampling */	\
	X(governor_slow_ns)		/* time at less than the requested rate */ \
	X(period_missed)		/* periods passed with interrupts off */ \
	X(overflow_missed)		/* overflows at a stop, with a late interrupt */ \
	X(idle_ns)			/* time idle, not sampled */		\
	X(sampling_ns)			/* time spent sampling */

struct oprofile_stats {
#define X(name) u64 name;
	OPROFILE_STATS(X)
#undef X
};

#endif
