/* SPDX-License-Identifier: GPL-2.0-or-later */
/* common.h -- clocks, calibration and options of the test programs that are linked with a C library. */
#ifndef SUBJECT_COMMON_H
#define SUBJECT_COMMON_H

#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static inline double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

/* Bind this thread to the CPU $CPU, and increase the nice value by $NICE. */
static inline void pin(void)
{
	const char *cpu = getenv("CPU"), *by = getenv("NICE");
	cpu_set_t set;

	if (by && nice(atoi(by)) < 0)
		err(1, "cannot be nicer by %s", by);
	if (!cpu)
		return;
	CPU_ZERO(&set);
	CPU_SET(atoi(cpu), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot run on CPU %s", cpu);
}

static inline double cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

/* Return how many turns of @work take a millisecond of thread CPU time. Take the best of a few
 * tries: in a guest, that clock continues while the host runs other tasks. */
static inline unsigned long turns_per_ms(void (*work)(unsigned long))
{
	unsigned long n = 1000000;
	double t, best = 1e9;

	for (int i = 0; i < 7; i++) {
		t = cpu_time();
		work(n);
		t = cpu_time() - t;
		if (t < best)
			best = t;
	}
	return n / (best * 1000) + 1;
}

/*
 * Return a random factor in [1, 2), which varies the length of work, so that it does not
 * synchronize with the sampling period.
 */
static inline double jitter(void)
{
	return 1 + random() / (RAND_MAX + 1.0);
}

static inline double seconds_argument(int argc, char **argv)
{
	double s = argc > 1 ? atof(argv[1]) : 0;

	if (s <= 0)
		errx(2, "usage: %s SECONDS", argv[0]);
	return s;
}

#endif
