/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timers.h -- a timer of CPU time for each thread of a process that does not tell of its threads.
 *
 * A timer of the whole process' time has its signal too, after which the threads are looked through: those that have begun get
 * one, and those that have ended lose theirs. Unlike setitimer(2)'s, no timer outlives exec(), in which its signal might
 * end a program that knows nothing of it.
 */
#ifndef PROBE_PC_TIMERS_H
#define PROBE_PC_TIMERS_H

#include <signal.h>
#include <stdint.h>

#define PC_TIMERS	4096	/* threads at most; room for twice as many, a power of 2 */

struct pc_timer {
	int tid;		/* 0: none */
	int id;			/* the kernel's name of it, and 1; 0: there is none */
};

struct pc_timers {
	struct pc_timer tables[2][2 * PC_TIMERS];	/* by tid: what was found last, and what is being found */
	int now;			/* of these; under .lock, as both are */
	int lock;			/* atomic: somebody is looking */
	int signal;
	uint64_t period_ns;
	int process;			/* the whole process' timer; -1: none */
	uint32_t missed;		/* threads that have none: the kernel gives no more, or there are too many */
	char names[8192];		/* of threads, while they are looked through: a handler's stack has no room for them */
};

/* All threads that there are, and those that will be. 0 or negative errno: then there are none. */
int pc_timers_start(struct pc_timers *t, int sig, uint64_t period_ns);
/* None has one any more. Signals may be on their way. */
void pc_timers_stop(struct pc_timers *t);

/* In the handler: the periods of CPU time that a thread's signal stands for; 0: it is no such signal. */
uint64_t pc_timers_take(struct pc_timers *t, const siginfo_t *info);

#endif
