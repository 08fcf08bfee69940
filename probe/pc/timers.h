/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timers.h -- a clock for each thread of a process that does not tell of its threads, with a signal at each period.
 *
 * A clock is an event of perf_events, or a timer of timer_create(2), whose signals come at the kernel's ticks only. A timer of
 * the whole process' time has its signal too. It meets threads: one that has no clock yet gets one, and a sample that stands
 * for the time since the process' last signal. From time to time all threads are listed, as that signal goes to the first
 * thread up to Linux 6.3: threads that have begun get a clock, and those that have ended lose theirs. Unlike setitimer(2)'s,
 * no clock outlives exec(), in which its signal would end a program that knows nothing of it. Real time has one timer for
 * the whole process.
 */
#ifndef PROBE_PC_TIMERS_H
#define PROBE_PC_TIMERS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "libop/raw/words.h"
#include "probe/pc/perf.h"

#define PC_TIMERS	4096	/* threads at most; room for twice as many, a power of 2 */

struct pc_timer {
	int tid;		/* 0: none */
	int id;			/* the kernel's timer or the descriptor, and 1; 0: there is none */
	uint32_t perf;		/* pc_perf_is() by this; 0: @id is a timer's */
};

struct pc_timers {
	struct pc_timer tables[2][2 * PC_TIMERS];	/* by tid: the threads of the last list, and of the one being made */
	uint32_t nr[2];			/* of them in each */
	int now;			/* of these; under .lock, as both are */
	int lock;			/* atomic: somebody changes them */
	enum raw_pct_clock clock;
	struct pc_perf perf;		/* its period and signal hold for timers too */
	bool by_perf;
	bool is_once;			/* each period begins with pc_timers_again() */
	uint64_t mean_ns;		/* of periods */
	uint64_t owed_ns;		/* of the process' time, less than a period; under .lock */
	uint32_t met;			/* signals since the last list; under .lock */
	int process;			/* the whole process' timer; -1: none */
	uint32_t missed;		/* threads that have none: the kernel gives no more, or there are too many */
	char names[8192];		/* of threads, while they are listed: a handler's stack has no room for them */
};

/* Return 0 if perf_events serve this clock with these periods, or a negative errno. */
int pc_timers_try_perf(enum raw_pct_clock clock, uint64_t period_ns);

/* Begin, for all threads that there are and those that will be. With @gap, each period has to be begun by pc_timers_again(), and they
 * are @gap times @period_ns in the mean. Return 0 or a negative errno: then there are none. */
int pc_timers_start(struct pc_timers *t, enum raw_pct_clock clock, int sig, bool by_perf, uint64_t period_ns, uint32_t gap);
/* End all. Signals may be on their way. */
void pc_timers_stop(struct pc_timers *t);

/* In a child of fork(): close what belongs to the parent's threads, which go on there. */
void pc_timers_forget(struct pc_timers *t);

/* In the handler: return the periods that the signal stands for; 0: it is not a sample. */
uint64_t pc_timers_take(struct pc_timers *t, const siginfo_t *info);
/* In the handler: let the clock that has sent @info send the next signal after @ns. */
void pc_timers_again(struct pc_timers *t, const siginfo_t *info, uint64_t ns);

#endif
