/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats.h -- what became of every interrupt. One table gives the struct, the names and the files (stats_files.c).
 *
 * sample_received == what the event buffer was given + every counter whose name begins with
 * sample_lost_ or event_lost_, sample_invalid_eip and sample_unresolved, once sampling has stopped.
 * Counters are per CPU and written with this_cpu_inc(), from any context.
 */
#ifndef OPROFILE_STATS_H
#define OPROFILE_STATS_H

#include <linux/types.h>

#define OPROFILE_STATS(X)							\
	X(sample_received)		/* interrupts taken */			\
	X(sample_lost_overflow)		/* CPU buffer full */			\
	X(sample_lost_pending)		/* no errand left to resolve with */	\
	X(sample_lost_task_exit)	/* the task was exiting */		\
	X(sample_lost_no_mm)		/* user address, but no memory map */	\
	X(sample_lost_no_mapping)	/* no mapping at the address */		\
	X(sample_lost_map_busy)		/* the memory map was locked for a change */ \
	X(sample_lost_user_quota)	/* too many of one user's tasks held errands */ \
	X(sample_lost_no_cookie)	/* too many files, or no memory */	\
	X(sample_lost_impossible)	/* an offset that no file has */	\
	X(sample_invalid_eip)		/* not an address */			\
	X(event_lost_overflow)		/* event buffer full */			\
	X(user_resolved)		/* user addresses looked up */		\
	X(governor_throttled)		/* times the rate was halved */		\
	X(governor_looked_ns)		/* the time before each of these, */	\
	X(governor_took_ns)		/* what sampling took of it, */		\
	X(governor_slow_ns)		/* and for how long the rate was lower than asked for */ \
	X(period_missed)		/* periods passed with interrupts off */ \
	X(overflow_missed)		/* overflows at a stop whose interrupt was late */ \
	X(idle_ns)			/* time idle, not sampled */		\
	X(sampling_ns)			/* time spent sampling */

struct oprofile_stats {
#define X(name) u64 name;
	OPROFILE_STATS(X)
#undef X
};

#endif
