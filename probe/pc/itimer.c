// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itimer.c -- samples by an interval timer of the process: a signal, and a handler of our own.
 *
 * The kernel sends these signals to the thread whose time it was. A timer_create() timer would not outlive exec(), as
 * this one does, but up to Linux 6.3 its signal goes to the first thread, whoever ran.
 */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "probe/arch/context.h"
#include "probe/linux/calls.h"
#include "probe/pc/action.h"
#include "probe/pc/pct.h"
#include "probe/pc/run.h"
#include "probe/wrap/hooks.h"

static const struct { int timer, signal; } clocks[] = {
	[RAW_PCT_PROF] = { ITIMER_PROF, SIGPROF },
	[RAW_PCT_VIRTUAL] = { ITIMER_VIRTUAL, SIGVTALRM },
	[RAW_PCT_REAL] = { ITIMER_REAL, SIGALRM },
};

/* The one process that we are in: a handler gets no argument. */
static struct pc_run run;

/* Seconds and microseconds: to the next, and to those after. */
static long set_timer(uint64_t us, bool again)
{
	long value[4] = { again ? us / 1000000 : 0, again ? us % 1000000 : 0, us / 1000000, us % 1000000 };

	return arch_call(SYS_setitimer, clocks[run.words.clock].timer, (long)value, 0, 0, 0, 0);
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	pc_run_sample(&run, arch_pc(context), 1);
	if (run.words.gap && __atomic_load_n(&run.is_on, __ATOMIC_SEQ_CST))
		set_timer(pc_run_gap(&run) * run.words.quantum_us, false);
}

static int start(struct pc_run *r)
{
	long err = pc_action_set(clocks[r->words.clock].signal, on_tick);

	if (!err)
		err = set_timer(pc_run_gap(r) * r->words.quantum_us, !r->words.gap);
	return err;
}

static void stop(struct pc_run *r)
{
	/* The handler stays: a signal may be on its way. */
	(void)r;
	set_timer(0, false);
}

static const struct pc_collector itimer = { .name = "itimer", .start = start, .stop = stop };

void pct_on(void)
{
	pc_run_on(&run, &itimer, environ);
}

void pct_off(void)
{
	pc_run_off(&run);
}

/* The timer would go on in the next program, which knows nothing of its signal and would be killed by it. No memory is
 * changed: this may be a child of vfork(). */
void hook_before_exec(long kept[4])
{
	static const long none[4] = { 0, 0, 0, 0 };

	kept[0] = kept[1] = kept[2] = kept[3] = 0;
	if (__atomic_load_n(&run.is_on, __ATOMIC_RELAXED))
		arch_call(SYS_setitimer, clocks[run.words.clock].timer, (long)none, (long)kept, 0, 0, 0);
}

void hook_exec_failed(const long kept[4])
{
	if (kept[2] || kept[3])
		arch_call(SYS_setitimer, clocks[run.words.clock].timer, (long)kept, 0, 0, 0, 0);
}

void hook_unloading(void)
{
	pc_code_unloading(&run.code);
}

void hook_unloaded(void)
{
	pc_code_unloaded(&run.code);
}

/* A child of vfork() has what its parent has. */
void hook_filters(bool kills)
{
	if (run.file.header && run.pid != getpid())
		return;
	pc_run_end(&run);
	if (kills)
		pc_names_forget_variable(environ, "PCT");
}

static void forked(void)
{
	pc_run_forked(&run, environ);
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(NULL, NULL, forked);
	pc_run_begin(&run, &itimer, environ);
}

__attribute__((destructor)) static void end(void)
{
	pc_run_end(&run);
}
