/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timers.h -- clocks for all threads of a process. Each clock sends a signal to its thread at each
 * period. New threads are found without a hook at their start.
 *
 * A thread's clock is a perf event or, if perf_events cannot be used, a timer of timer_create(2),
 * which sends signals only at the kernel's ticks. In addition, a process-wide CPU time timer sends
 * the signal to any thread. A thread without a clock that receives this signal gets a clock, and a
 * sample for the time since the timer's last signal. Up to Linux 6.3, the process-wide timer always
 * signals the first thread. So all threads are listed from time to time: new threads get a clock,
 * and clocks of ended threads are closed. Unlike setitimer(2), no clock continues after exec(),
 * where its signal would kill a program that does not handle it.
 *
 * Wall-clock time uses a single timer for the process.
 */
#ifndef PROBE_PC_TIMERS_H
#define PROBE_PC_TIMERS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/words.h"
#include "probe/pc/perf.h"

#define PC_TIMERS	4096	/* maximum number of threads with a clock; a power of 2 */

struct pc_timer {
	int tid;		/* id of the thread; 0: this element is free */
	/* id of the thread's clock plus 1: a timer's id or a perf event's descriptor; 0: no
	 * clock */
	int id;
	/* perf's number of the clock, for pc_perf_is(); 0: .id is a timer */
	uint32_t perf;
};

struct pc_timers {
	/* hash tables by thread id: one contains the threads of the last scan, the other the
	 * threads of the scan in progress */
	struct pc_timer tables[2][2 * PC_TIMERS];
	uint32_t nr[2];			/* number of elements in each table */
	/* index of the table of the last scan; .lock protects the index and both tables */
	int now;
	int lock;			/* not 0: a thread is using the tables; atomic */
	enum raw_pct_clock clock;
	/* period and signal of the perf events, and also of the timers */
	struct pc_perf perf;
	bool by_perf;
	/* whether each clock sends only one signal, and pc_timers_again() must restart it */
	bool is_once;
	uint64_t mean_ns;		/* mean time between two samples, in ns */
	/* CPU time of the process for which no sample has been counted yet, in ns; less than a
	 * period; protected by .lock */
	uint64_t owed_ns;
	/* number of signals of the process-wide timer since the last scan of the threads; protected
	 * by .lock */
	uint32_t met;
	int process;			/* id of the process-wide timer; -1: no timer */
	/* number of threads that have no clock, because the kernel or the table allows no more
	 * clocks */
	uint32_t missed;
	/* buffer for entries of /proc/self/task; the stack of a signal handler may be too small for
	 * it */
	char names[8192];
};

/*
 * Return 0 if perf_events support *@clock with the period @period_ns, or a negative errno. If
 * perf_events support only user mode and @may_change is set, change *@clock from RAW_PCT_PROF to
 * RAW_PCT_VIRTUAL.
 */
int pc_timers_try_perf(enum raw_pct_clock *clock, bool may_change, uint64_t period_ns);

/* Start clocks for all present and future threads of the process. If @gap is not 0, a clock sends
 * only one signal, and the caller must restart it by pc_timers_again(); the average period is then
 * @gap * @period_ns. Return 0, or a negative errno after stopping all clocks. */
int pc_timers_start(struct pc_timers *t, enum raw_pct_clock clock, int sig, bool by_perf,
		    uint64_t period_ns, uint32_t gap);
/* Stop all clocks. Signals may still be pending afterwards. */
void pc_timers_stop(struct pc_timers *t);

/* In a child of fork(): close the inherited descriptors of the parent's clocks, which continue in
 * the parent. */
void pc_timers_forget(struct pc_timers *t);

/* Return the number of periods that the signal @info represents, or 0 if no clock has sent it.
 * Called in the signal handler. */
uint64_t pc_timers_periods(struct pc_timers *t, const siginfo_t *info);
/* Let the clock that has sent the signal @info send its next signal after @ns nanoseconds.
 * Called in the signal handler. */
void pc_timers_again(struct pc_timers *t, const siginfo_t *info, uint64_t ns);

#endif
