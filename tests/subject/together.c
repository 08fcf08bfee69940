// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * together SECONDS -- two threads compute at the same time in together_two() for this CPU time
 * each, then the main thread computes for this CPU time in together_one().
 */
#include <pthread.h>

#include "common.h"
#include "work.h"

WORK(together_one)
WORK(together_two)

static double seconds;
static pthread_barrier_t begin;

static void *run_two(void *arg)
{
	pthread_barrier_wait(&begin);
	while (cpu_time() < seconds)
		together_two(1000000);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	seconds = seconds_argument(argc, argv);
	pthread_barrier_init(&begin, NULL, 2);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, run_two, NULL))
			errx(1, "no threads");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	while (cpu_time() < seconds)
		together_one(1000000);
	return 0;
}
