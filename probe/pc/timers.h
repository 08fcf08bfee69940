/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timers.h -- clocks for all threads of a process, which send a signal at each period. The program
 * does not report its threads.
 *
 * A thread's clock is a perf event or, where perf_events cannot be used, a timer of
 * timer_create(2), whose signals come only at the kernel's ticks. In addition, a timer of the whole
 * process's CPU time sends the signal to any thread. If a thread without a clock receives this
 * signal, it gets a clock, and a sample for the time since the process timer's last signal. From
 * time to time all threads are listed, because up to Linux 6.3 the process timer's signal always
 * goes to the first thread: then new threads get a clock, and the clocks of ended threads are
 * closed. Unlike the timer of setitimer(2), no clock continues after exec(), where its signal would
 * kill a program that does not handle it. For wall-clock time there is only one timer for the
 * process.
 */
#ifndef PROBE_PC_TIMERS_H
#define PROBE_PC_TIMERS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/words.h"
#include "probe/pc/perf.h"

#define PC_TIMERS	4096	/* maximum number of threads; a power of 2 */

struct pc_timer {
	int tid;		/* id of the thread; 0: this entry is free */
	/* the kernel's timer id or the perf event's descriptor, plus 1; 0: no clock */
	int id;
	/* perf's number of the clock, for pc_perf_is(); 0: .id is a timer */
	uint32_t perf;
};

struct pc_timers {
	/* hash tables by thread id: the threads of the last list, and of the list that is being
	 * made */
	struct pc_timer tables[2][2 * PC_TIMERS];
	uint32_t nr[2];			/* number of threads in each table */
	/* index of the current table; .lock protects it and both tables */
	int now;
	int lock;			/* not 0: a thread is using the tables; atomic */
	enum raw_pct_clock clock;
	/* period and signal of the clocks, which are also used for timers */
	struct pc_perf perf;
	bool by_perf;
	/* a clock sends only one signal, and must be set again by pc_timers_again() */
	bool is_once;
	uint64_t mean_ns;		/* mean time between two samples, in ns */
	/* CPU time of the process that no sample has accounted for, less than a period; protected
	 * by .lock */
	uint64_t owed_ns;
	/* number of signals of the process's timer since the last list of threads; protected by
	 * .lock */
	uint32_t met;
	int process;			/* id of the timer of the whole process; -1: none */
	/* number of threads without a clock, because the limit of the kernel or of the table was
	 * reached */
	uint32_t missed;
	/* buffer for entries of /proc/self/task, because a signal handler's stack may be too small
	 * for one */
	char names[8192];
};

/* Return 0 if perf_events support *@clock with the period @period_ns, or a negative errno. If they
 * support only user mode and @may_change is set, change RAW_PCT_PROF to RAW_PCT_VIRTUAL. */
int pc_timers_try_perf(enum raw_pct_clock *clock, bool may_change, uint64_t period_ns);

/* Start clocks for all present and future threads. If @gap is not 0, the caller must start each
 * period but the first by pc_timers_again(), and periods are @gap times @period_ns on average.
 * Return 0, or a negative errno after stopping all clocks. */
int pc_timers_start(struct pc_timers *t, enum raw_pct_clock clock, int sig, bool by_perf,
		    uint64_t period_ns, uint32_t gap);
/* Stop all clocks. Signals may still be pending afterwards. */
void pc_timers_stop(struct pc_timers *t);

/* In a child of fork(): close the inherited descriptors of the parent's clocks, which go on in the
 * parent. */
void pc_timers_forget(struct pc_timers *t);

/* Return the number of periods that the signal stands for, or 0 if it is not a sample. Called in
 * the signal handler. */
uint64_t pc_timers_take(struct pc_timers *t, const siginfo_t *info);
/* Make the clock that sent the signal @info send its next signal after @ns nanoseconds. Called in
 * the signal handler. */
void pc_timers_again(struct pc_timers *t, const siginfo_t *info, uint64_t ns);

#endif
