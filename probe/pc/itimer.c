// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itimer.c -- the pc sample collector of libitimer.so and itimer.o: each thread has a clock that
 * sends signals to it, and the signal handler counts the addresses at which they interrupt the
 * thread.
 *
 * The clocks stop at exec(): the executed program does not handle their signal, which would kill
 * it.
 */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "probe/arch/context.h"
#include "probe/linux/calls.h"
#include "probe/pc/action.h"
#include "probe/pc/here.h"
#include "probe/pc/pct.h"
#include "probe/pc/run.h"
#include "probe/pc/timers.h"

/* Signals of the timers, indexed by clock. Clocks by perf_events use SIGURG, which is ignored by
 * default. */
static const int signals[] = {
	[RAW_PCT_PROF] = SIGPROF, [RAW_PCT_VIRTUAL] = SIGVTALRM, [RAW_PCT_REAL] = SIGALRM};

/* The run of this process. A static variable, because signal handlers have no parameter for it. */
static struct pc_run run;
static struct pc_timers timers;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	uint64_t weight = pc_timers_periods(&timers, info);

	(void)sig;
	if (weight)
		pc_run_sample(&run, arch_pc(context), weight);
	if (weight && timers.is_once && __atomic_load_n(&run.is_on, __ATOMIC_SEQ_CST))
		pc_timers_again(&timers, info, pc_run_gap(&run) * pc_run_quantum_ns(&run));
}

/* Return whether the program has installed a handler for signal @sig. */
static bool is_taken(int sig)
{
	pc_handler before = NULL;

	return pc_action_get(sig, &before) ||
	       (before && (void *)before != (void *)SIG_IGN && before != on_signal);
}

static int start(struct pc_run *r)
{
	enum raw_pct_clock clock = r->words.clock;
	bool by_perf = !is_taken(SIGURG) &&
		       !pc_timers_try_perf(&clock, !r->words.has_clock, pc_run_quantum_ns(r));
	int sig = by_perf ? SIGURG : signals[clock];
	long err = pc_action_set(sig, on_signal);

	if (err)
		return err;
	pc_run_set_driver(r, by_perf ? RAW_PCT_BY_PERF : RAW_PCT_BY_TIMER, clock);
	return pc_timers_start(&timers, clock, sig, by_perf, pc_run_quantum_ns(r), r->words.gap);
}

static void stop(struct pc_run *r)
{
	/* Do not remove the signal handler, because a signal may be pending. */
	(void)r;
	pc_timers_stop(&timers);
}

static const struct pc_collector itimer = { .name = "itimer", .start = start, .stop = stop };

struct pc_run *pc_here(void)
{
	return &run;
}

void pc_here_on(char **environment)
{
	pc_run_on(&run, &itimer, environment);
}

void pct_on(void)
{
	pc_here_on(environ);
}

void pct_off(void)
{
	pc_run_off(&run);
}

static void forked(void)
{
	pc_timers_forget(&timers);
	pc_run_forked(&run);
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(NULL, NULL, forked);
	/* Before main(), only another collector in the process can have installed a signal handler.
	 * Leave the sampling to that collector. */
	if (is_taken(SIGURG) || is_taken(SIGPROF) || is_taken(SIGVTALRM) || is_taken(SIGALRM))
		return;
	pc_run_begin(&run, &itimer, environ);
}

__attribute__((destructor)) static void end(void)
{
	pc_run_end(&run);
}
