// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opattach-late -- a library for tests/tools/opattach.c: computes, and then starts a thread that
 * computes until the file "stop" exists.
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) unsigned long hot(unsigned long x, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		x = x * 6364136223846793005UL + i;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

__attribute__((noinline)) void *late_thread(void *unused)
{
	unsigned long x = 1;

	while (access("stop", F_OK))
		x = hot(x, 1000000);
	__asm__ volatile("" : : "r"(x));
	return unused;
}

/* Compute for 300 ms, which gives many samples, and start a thread that continues. */
void compute_late(void)
{
	struct timespec t = { 0, 0 };
	unsigned long x = 1;
	pthread_t thread;

	while (!t.tv_sec && t.tv_nsec < 300000000) {
		x = hot(x, 100000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	}
	__asm__ volatile("" : : "r"(x));
	pthread_create(&thread, NULL, late_thread, NULL);
	pthread_detach(thread);
}
