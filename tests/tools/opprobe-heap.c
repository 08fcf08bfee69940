// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-heap.c -- a program that allocates known numbers of bytes on known paths.
 *
 * opprobe-heap [fork]
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
#define NR	1000

static void *volatile sink;
static void *blocks[NR], *large[10], *threads_own[4][NR];

APART void *c(void)
{
	void *p = malloc(100);

	sink = p;
	return p;
}

APART void *b(void)
{
	void *p = c();

	sink = p;
	return p;
}

APART void a(void)
{
	for (int i = 0; i < NR; i++)
		blocks[i] = b();
	sink = NULL;
}

APART void d(void)
{
	for (int i = 0; i < 10; i++)
		large[i] = malloc(1 << 20);
	sink = NULL;
}

/*
 * Reallocate 10 bytes to 1,000 and then to 2,000: counts as three allocations, of which the first
 * two are freed.
 */
APART void grow(void)
{
	void *p = malloc(10);

	p = realloc(p, 1000);
	p = reallocarray(p, 2, 1000);
	if (realloc(p, SIZE_MAX / 2))
		exit(9);
	sink = p;
}

APART void odd_ones(void)
{
	void *p = NULL;

	sink = calloc(7, 11);
	sink = memalign(64, 1000);
	sink = aligned_alloc(128, 1280);
	if (posix_memalign(&p, 256, 3000) || (uintptr_t)p % 256 || (uintptr_t)sink % 128)
		exit(9);
	sink = p;
	sink = valloc(5000);
	sink = pvalloc(4097);
}

APART void fleeting(void)
{
	for (int i = 0; i < 50; i++) {
		void *p = malloc(20);

		sink = p;
		free(p);
	}
	sink = NULL;
}

static void *in_thread(void *arg)
{
	void **own = arg;

	for (int i = 0; i < NR; i++)
		own[i] = c();
	sink = NULL;
	return arg;
}

/* Free all blocks of one thread in another thread. */
static void by_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, in_thread, threads_own[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		for (int k = 0; k < NR; k++)
			free(threads_own[i][k]);
	}
}

int main(int argc, char **argv)
{
	a();
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		if (!fork()) {
			for (int i = 0; i < NR; i++)
				free(blocks[i]);
			b();
			exit(0);
		}
		wait(NULL);
		return 0;
	}
	d();
	for (int i = 0; i < 10; i++)
		free(large[i]);
	for (int i = 0; i < NR; i += 2)
		free(blocks[i]);
	grow();
	odd_ones();
	fleeting();
	by_threads();
	puts("said");
	return 3;
}
