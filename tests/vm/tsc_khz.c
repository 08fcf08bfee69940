// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsc_khz.c -- prints the frequency of this machine's time stamp counter in kHz.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
	int64_t ns;
	uint64_t ticks;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Read both clocks at the same moment: make many attempts, and use the one in which least time
 * passed between the two reads. */
static struct moment read_clocks(void)
{
	struct moment best = { 0 };
	int64_t least = INT64_MAX;

	for (int i = 0; i < 1000; i++) {
		int64_t before = now_ns();
		uint64_t ticks = __rdtsc();
		int64_t after = now_ns();

		if (after - before < least) {
			least = after - before;
			best = (struct moment){ before + least / 2, ticks };
		}
	}
	return best;
}

int main(void)
{
	struct moment begin = read_clocks(), end;
	struct timespec pause = { .tv_nsec = 200000000 };

	nanosleep(&pause, NULL);
	end = read_clocks();
	printf("%.0f\n", (double)(end.ticks - begin.ticks) * 1e6 / (double)(end.ns - begin.ns));
	return 0;
}
