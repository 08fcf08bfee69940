/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats.h -- the accounting of interrupts: a table of per-CPU counters. Macros generate the struct,
 * the names and the files (stats_files.c) from the table.
 *
 * After sampling has stopped, sample_received == samples written to the event buffer + all
 * sample_lost_* and event_lost_* counters + sample_invalid_eip + sample_unresolved. Counters are
 * written with this_cpu_inc() in any context.
 */
#ifndef OPROFILE_STATS_H
#define OPROFILE_STATS_H

#include <linux/types.h>

#define OPROFILE_STATS(X)							\
	X(sample_received)		/* interrupts that a backend has handled */ \
	X(sample_lost_overflow)		/* the CPU's table of samples was full */	\
	X(sample_lost_pending)		/* all lookups of the CPU's pool were in use */	\
	X(sample_lost_task_exit)	/* the sampled task was exiting */		\
	X(sample_lost_no_mm)		/* user address of a task without mm */	\
	X(sample_lost_no_mapping)	/* the address had no mapping */		\
	X(sample_lost_map_busy)		/* the memory map was locked for a change */ \
	X(sample_lost_user_quota)	/* too many tasks of one user had queued lookups */ \
	X(sample_lost_no_cookie)	/* too many files had samples, or memory was short */	\
	X(sample_lost_impossible)	/* the offset is too large for any file */	\
	X(sample_lost_offcpu_late)	/* the thread left its CPU before the sample of its wait */ \
	X(sample_lost_offcpu_cpu)	/* the wait ended on a CPU that is not sampled */ \
	X(sample_invalid_eip)		/* invalid address */			\
	X(event_lost_overflow)		/* the event buffer was full */			\
	X(user_resolved)		/* user addresses that lookups have resolved */ \
	X(governor_throttled)		/* number of times the rate was halved */ \
	X(governor_looked_ns)		/* duration of windows that led to a halved rate */ \
	X(governor_took_ns)		/* part of governor_looked_ns that sampling took, in ns */ \
	X(governor_slow_ns)		/* time during which the rate was reduced */ \
	X(period_missed)		/* timer periods that passed with interrupts off */ \
	X(overflow_missed)		/* overflows whose interrupt came after the stop */ \
	X(offcpu_ns)			/* time in ns of ended waits, and of others up to the last dump */ \
	X(offcpu_not_asked)		/* periods of waits for a reason that no event samples */ \
	X(offcpu_rest_ns)		/* end of accounts: time in ns that has no sample */ \
	X(offcpu_ahead_ns)		/* end of accounts: time in ns that was sampled, not waited */ \
	X(offcpu_unfinished_ns)		/* at the stop: time in ns of waits that is not in offcpu_ns */ \
	X(offcpu_lost_waits)		/* waits of threads for which the table had no room */ \
	X(idle_ns)			/* time during which the CPU was idle */ \
	X(sampling_ns)			/* time in ns during which sampling was on */

struct oprofile_stats {
#define X(name) u64 name;
	OPROFILE_STATS(X)
#undef X
};

#endif
