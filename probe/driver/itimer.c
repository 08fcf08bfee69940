// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itimer.c -- the driver that samples by setitimer(2): the kernel sends SIGPROF, for the CPU time
 * of the process, to the thread that is running at the tick.
 *
 * Unlike the other drivers, this driver uses a signal and a timer that programs may use themselves,
 * for example programs compiled by gcc -pg.
 */
#include "config.h"
#include "probe/driver/driver.h"

#include <sys/time.h>

#include "probe/linux/calls.h"

/* Set the period of the process-wide timer to @period_ns; 0: stop the timer. */
static long set(uint64_t period_ns)
{
	uint64_t us = (period_ns + 999) / 1000;
	long value[4] = { us / 1000000, us % 1000000, us / 1000000, us % 1000000 };

	return arch_call(SYS_setitimer, ITIMER_PROF, (long)value, 0, 0, 0, 0);
}

static int init(const struct driver_run *run)
{
	return set(run->period);
}

static void fini(void)
{
	set(0);
}

static int thread_init(const struct driver_run *run, struct driver_thread *thread)
{
	thread->charged_ns = driver_cpu_time();
	/* The timer may be running, so its signal may arrive in this thread from here on. */
	__atomic_store_n(&thread->run, run, __ATOMIC_RELEASE);
	return 0;
}

/* Stop the process-wide timer. Otherwise the timer would continue after the end of the thread and
 * after exec*(). */
static void suspend(struct driver_thread *thread)
{
	(void)thread;
	set(0);
}

static void resume(struct driver_thread *thread)
{
	driver_charge_resumes(thread);
	set(thread->run->period);
}

static uint64_t take(struct driver_thread *thread, const siginfo_t *info)
{
	return info->si_code == SI_KERNEL && thread->run ? driver_charge(thread) : 0;
}

const struct driver driver_itimer = {
	.name = "itimer",
	.signal = SIGPROF,
	.init = init,
	.fini = fini,
	.thread_init = thread_init,
	.suspend = suspend,
	.resume = resume,
	.take = take,
};
