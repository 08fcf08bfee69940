/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timers.h -- a clock for each thread of a process, with a signal at each period. The process does
 * not report new threads.
 *
 * A clock is an event of perf_events, or a timer of timer_create(2), whose signals come at the
 * kernel's ticks only. A timer of the whole process's time sends the signal, too. A thread without
 * a clock that receives it gets a clock, and a sample for the time since the process's last signal.
 * From time to time all threads are listed, because up to Linux 6.3 that signal always goes to the
 * first thread: new threads get a clock, and the clocks of ended threads are closed. Unlike
 * setitimer(2)'s timer, no clock outlives exec(), after which its signal would end a program that
 * does not handle it. Real time has one timer for the whole process.
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
	int tid;		/* 0: free */
	int id;			/* the kernel's timer or the descriptor, plus 1; 0: no clock */
	uint32_t perf;		/* the id for pc_perf_is(); 0: @id is a timer */
};

struct pc_timers {
	/* by tid: the threads of the last list, and of the list being made */
	struct pc_timer tables[2][2 * PC_TIMERS];
	uint32_t nr[2];			/* number of threads in each table */
	int now;			/* of these; under .lock, as both are */
	int lock;			/* atomic: a thread is changing the tables */
	enum raw_pct_clock clock;
	struct pc_perf perf;		/* the period and the signal apply to timers, too */
	bool by_perf;
	bool is_once;			/* each period begins with pc_timers_again() */
	uint64_t mean_ns;		/* of periods */
	/* process time not counted yet, less than a period; hold .lock */
	uint64_t owed_ns;
	uint32_t met;			/* signals since the last list; hold .lock */
	int process;			/* the timer of the whole process; -1: none */
	/* number of threads without a clock: the kernel's limit, or the table's, was reached */
	uint32_t missed;
	/* entries of /proc/self/task, because a handler's stack has no room for them */
	char names[8192];
};

/* Return 0 if perf_events support *@clock with these periods, or a negative errno. If they
 * support it for user mode only and @may_change is set, change RAW_PCT_PROF to RAW_PCT_VIRTUAL. */
int pc_timers_try_perf(enum raw_pct_clock *clock, bool may_change, uint64_t period_ns);

/* Start the clocks of all present and future threads. With @gap, pc_timers_again() has to begin
 * each period, and periods are @gap times @period_ns in the mean. Return 0, or a negative errno
 * without any clock. */
int pc_timers_start(struct pc_timers *t, enum raw_pct_clock clock, int sig, bool by_perf,
		    uint64_t period_ns, uint32_t gap);
/* Stop all clocks. Signals may still be pending. */
void pc_timers_stop(struct pc_timers *t);

/* In a child of fork(): close the descriptors of the parent's clocks, which continue in the
 * parent. */
void pc_timers_forget(struct pc_timers *t);

/* Return the number of periods of the signal, or 0 if it is not a sample. Call it in the
 * handler. */
uint64_t pc_timers_take(struct pc_timers *t, const siginfo_t *info);
/* Set the clock that sent @info to send its next signal after @ns. Call it in the handler. */
void pc_timers_again(struct pc_timers *t, const siginfo_t *info, uint64_t ns);

#endif
