// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-events.c -- a program that computes for a known time between its allocations.
 *
 * It prints the CPU time, in microseconds, that its thread used in spin(), which does
 * not allocate.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TURNS	800
#define BLOCKS	20
#define APART	__attribute__((noinline, noclone))

static volatile unsigned int steps;
static void *volatile sink;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

APART void spin(void)
{
	for (unsigned int i = 0; i < 1500000 + steps % 7; i++)
		steps += i;
	sink = NULL;
}

APART void allocate(void)
{
	for (int i = 0; i < BLOCKS; i++)
		sink = malloc(1000);
	sink = NULL;
}

int main(void)
{
	long long spun = 0;

	for (int i = 0; i < TURNS; i++) {
		long long before = now();

		spin();
		spun += now() - before;
		allocate();
	}
	printf("%lld\n", spun / 1000);
	return 0;
}
