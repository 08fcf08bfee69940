// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-pc.c -- measures the handler of PC samples without its signal: nanoseconds for counting a
 * sample if all data are in the caches ("hot"), after the program has used 4 MB, and after it has
 * used 64 MB, so that not even page tables are in the caches. Usage: bench-pc DIR, a directory for
 * its files.
 *
 * "Hot" is the best of several rounds. The other results are medians of many samples, because other
 * load on the machine only increases them.
 */
#include "config.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe/pc/run.h"

#define ROUNDS	20
#define SAMPLES	100000
#define COLD	101
#define SOME	(4u << 20)	/* bytes of memory that the program touches between two samples */
#define MOST	(64u << 20)
#define LINE	64

static struct pc_run run;
static unsigned char *other;

static int start(struct pc_run *r)
{
	(void)r;
	return 0;
}

static void stop(struct pc_run *r)
{
	(void)r;
}

/* A collector without a timer: the benchmark calls the handler directly. */
static const struct pc_collector collector = { .name = "bench-pc", .start = start, .stop = stop };

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double hot(uintptr_t at)
{
	double best = 1e9;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begun = now(CLOCK_PROCESS_CPUTIME_ID), took;

		for (int i = 0; i < SAMPLES; i++)
			pc_run_sample(&run, at, 1);
		took = now(CLOCK_PROCESS_CPUTIME_ID) - begun;
		if ((double)took / SAMPLES < best)
			best = (double)took / SAMPLES;
	}
	return best;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Return the median time of counting a sample after touching @used bytes of other memory; if not
 * @sampled, the median time of reading the clock.
 */
static uint64_t after(uintptr_t at, size_t used, bool sampled)
{
	uint64_t took[COLD];

	for (int i = 0; i < COLD; i++) {
		uint64_t begun;

		for (size_t k = 0; k < used; k += LINE)
			other[k]++;
		now(CLOCK_MONOTONIC);
		begun = now(CLOCK_MONOTONIC);
		if (sampled)
			pc_run_sample(&run, at, 1);
		took[i] = now(CLOCK_MONOTONIC) - begun;
	}
	qsort(took, COLD, sizeof(took[0]), compare);
	return took[COLD / 2];
}

int main(int argc, char **argv)
{
	char words[4096], *environ_of_run[] = { words, NULL };
	uintptr_t here = (uintptr_t)main;
	uint64_t ns[2];

	if (argc != 2 || snprintf(words, sizeof(words), "PCT=o%s", argv[1]) >= (int)sizeof(words)) {
		fprintf(stderr, "usage: bench-pc DIR\n");
		return 1;
	}
	other = malloc(MOST);
	pc_run_begin(&run, &collector, environ_of_run);
	if (!other || !run.is_on)
		return 1;
	pc_run_sample(&run, here, 1);
	for (int i = 0; i < 2; i++)
		ns[i] = after(here, i ? MOST : SOME, true) - after(here, i ? MOST : SOME, false);
	printf("%.1f\t%" PRIu64 "\t%" PRIu64 "\n", hot(here), ns[0], ns[1]);
	/*
	 * If the counts differ, the handler has not counted each call as a sample, and the times
	 * are meaningless.
	 */
	if (run.file.header->taken != 1 + 2 * COLD + (uint64_t)ROUNDS * SAMPLES || run.file.header->lost[RAW_PCT_OTHER])
		return 1;
	pc_run_end(&run);
	free(other);
	return 0;
}
