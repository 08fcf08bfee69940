// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timer.c -- drivers that sample by timer_create(2), one timer for each thread: by the thread's CPU
 * time or by wall-clock time.
 *
 * The kernel checks CPU time timers at each tick, so a thread gets at most one signal per tick. A
 * wall-clock timer sends signals at the requested rate, also while the thread waits. If a driver
 * for CPU time uses such a timer, a signal counts nothing if the thread has used no CPU time since
 * the last signal. The kernel reserves a queue entry for each timer's signal, so no signal is lost.
 */
#include "config.h"
#include "probe/driver/driver.h"

#include <time.h>

#include "probe/linux/calls.h"

/* Set the period of the thread's timer to @period_ns; 0: stop the timer. */
static long set(const struct driver_thread *thread, uint64_t period_ns)
{
	long s = period_ns / 1000000000, ns = period_ns % 1000000000, value[4] = { s, ns, s, ns };

	return thread->timer < 0
		       ? 0
		       : arch_call(SYS_timer_settime, thread->timer, 0, (long)value, 0, 0, 0);
}

static int thread_init(int clock, const struct driver_run *run, struct driver_thread *thread)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = run->signal,
		.sigev_value.sival_ptr = (void *)run,
	};
	int timer;
	long err;

	event._sigev_un._tid = thread->tid;
	err = arch_call(SYS_timer_create, clock, (long)&event, (long)&timer, 0, 0, 0);
	if (err)
		return err;
	thread->run = run;
	thread->timer = timer;
	thread->charged_ns = driver_cpu_time();
	err = set(thread, run->period);
	if (err) {
		arch_call(SYS_timer_delete, timer, 0, 0, 0, 0, 0);
		thread->timer = -1;
	}
	return err;
}

static int cputime_init(const struct driver_run *run, struct driver_thread *thread)
{
	return thread_init(CLOCK_THREAD_CPUTIME_ID, run, thread);
}

static int monotonic_init(const struct driver_run *run, struct driver_thread *thread)
{
	return thread_init(CLOCK_MONOTONIC, run, thread);
}

static void thread_fini(struct driver_thread *thread)
{
	if (thread->timer >= 0)
		arch_call(SYS_timer_delete, thread->timer, 0, 0, 0, 0, 0);
	thread->timer = -1;
}

/* Discard the timer's id in a child of fork(): timers are not inherited, and the program may create
 * a timer with the same id. */
static void forget(struct driver_thread *thread)
{
	thread->timer = -1;
}

static void suspend(struct driver_thread *thread)
{
	set(thread, 0);
}

static void resume(struct driver_thread *thread)
{
	driver_charge_resumes(thread);
	set(thread, thread->run->period);
}

static bool is_of(const struct driver_thread *thread, const siginfo_t *info)
{
	return thread->timer >= 0 && info->si_code == SI_TIMER &&
	       info->si_value.sival_ptr == thread->run;
}

static uint64_t take(struct driver_thread *thread, const siginfo_t *info)
{
	return is_of(thread, info) ? driver_charge(thread) : 0;
}

/* Return the number of periods that have ended since the last signal. si_overrun is the number of
 * periods that ended while the signal was pending. */
static uint64_t count_wall(struct driver_thread *thread, const siginfo_t *info)
{
	return is_of(thread, info) ? 1 + (uint64_t)info->si_overrun : 0;
}

const struct driver driver_cputime = {
	.name = "cputime",
	.thread_init = cputime_init,
	.thread_fini = thread_fini,
	.forget = forget,
	.suspend = suspend,
	.resume = resume,
	.take = take,
};

const struct driver driver_monotonic = {
	.name = "monotonic",
	.thread_init = monotonic_init,
	.thread_fini = thread_fini,
	.forget = forget,
	.suspend = suspend,
	.resume = resume,
	.take = take,
};

const struct driver driver_wall = {
	.name = "wall",
	.thread_init = monotonic_init,
	.thread_fini = thread_fini,
	.forget = forget,
	.suspend = suspend,
	.resume = resume,
	.take = count_wall,
};
