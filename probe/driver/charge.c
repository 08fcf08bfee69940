// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * charge.c -- computation of sample weights. A driver that uses a timer derives the weight of a
 * sample from the thread's CPU time.
 */
#include "config.h"

#include <time.h>

#include "probe/driver/driver.h"
#include "probe/linux/calls.h"

/* Clock id of the CPU time clock of thread @tid, as the kernel encodes it. */
#define THREAD_CLOCK(tid)	((int)(~(uint32_t)(tid) << 3 | 6))

static uint64_t clock_ns(int clock)
{
	long t[2] = { 0, 0 };

	arch_call(SYS_clock_gettime, clock, (long)t, 0, 0, 0, 0);
	return (uint64_t)t[0] * 1000000000 + t[1];
}

uint64_t driver_cpu_time(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void driver_charge_resumes(struct driver_thread *thread)
{
	thread->charged_ns = clock_ns(THREAD_CLOCK(thread->tid));
}

uint64_t driver_charge(struct driver_thread *thread)
{
	uint64_t period = thread->run->period,
		 nr = (driver_cpu_time() - thread->charged_ns) / period;

	thread->charged_ns += nr * period;
	return nr;
}
