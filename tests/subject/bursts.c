// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bursts COUNT -- works for 400 us whenever CLOCK_MONOTONIC is a multiple of 4 ms, like work
 * started by the scheduler's tick, and sleeps in between. Prints its CPU time in milliseconds:
 * "bursts: NN.N ms".
 */
#include <time.h>

#include "common.h"
#include "work.h"

WORK(bursts_work)

#define EVERY_NS	4000000
#define BURST_NS	400000

static long long ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long nr = argc > 1 ? atol(argv[1]) : 1000;
	long long next;

	for (; nr > 0; nr--) {
		next = (ns_of(CLOCK_MONOTONIC) / EVERY_NS + 1) * EVERY_NS;
		struct timespec until = { .tv_sec = next / 1000000000, .tv_nsec = next % 1000000000 };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		next = ns_of(CLOCK_THREAD_CPUTIME_ID) + BURST_NS;
		while (ns_of(CLOCK_THREAD_CPUTIME_ID) < next)
			bursts_work(1000);
	}
	printf("bursts: %.1f ms\n", ns_of(CLOCK_THREAD_CPUTIME_ID) / 1e6);
	return 0;
}
