// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pathload.c -- a program with known call paths: level n only calls level n + 1. Frames have
 * different sizes, some known only at run time. The last level computes or makes system calls.
 *
 * usage: pathload TURNS [read|compute|signal] [AGAIN [DEEPER [THREADS]]]
 *   signal	the last level sends itself a signal, whose handler computes
 *   AGAIN		level 16 calls level 17 this often in each turn, so that most of the stack
 * 		is unchanged between samples
 *   DEEPER	the last level does its work this many levels further down
 *   THREADS	number of additional threads; every second one begins in odd_thread and computes
 * 		in odd_work, which the other threads never call
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int zero = -1;
static bool by_signal;
static unsigned long again = 1, deeper;
static volatile unsigned long sink;
static __thread bool is_odd;

#define NOINLINE __attribute__((noinline, noclone))

static inline __attribute__((always_inline)) void compute(unsigned long n, int times)
{
	for (int i = 0; i < times; i++)
		n = n * 6364136223846793005UL + 1;
	sink += n;
}

static void on_signal(int number)
{
	compute(number, 5000);
}

static inline __attribute__((always_inline)) void work(unsigned long n)
{
	char bytes[512];

	if ((zero >= 0 && read(zero, bytes, sizeof(bytes)) < 0) || (by_signal && raise(SIGUSR1)))
		exit(1);
	/*
	 * Vary the length of turns, because turns of equal length could synchronize with the
	 * sampling timer.
	 */
	compute(n, 100 + n % 201);
}

NOINLINE static void odd_work(unsigned long n)
{
	work(n);
	sink++;
}

NOINLINE static void below(unsigned long levels, unsigned long n)
{
	if (levels)
		below(levels - 1, n);
	else
		work(n);
	sink++;
}

NOINLINE static void f20(unsigned long n)
{
	if (deeper)
		below(deeper, n);
	else if (is_odd)
		odd_work(n);
	else
		work(n);
	sink++;
}

/* Define a level with two call sites of the next level, so that the outer frames vary. */
#define LEVEL(n, next, words)					\
NOINLINE static void f##n(unsigned long x)			\
{								\
	volatile unsigned long some[words];			\
								\
	some[x % (words)] = x;					\
	if (x >> (n) & 1)					\
		next(x + some[x % (words)]);			\
	else							\
		next(x - 1);					\
	sink += some[x % (words)];				\
}
/* The frame of this function has @x bytes. */
#define VARYING(n, next)					\
NOINLINE static void f##n(unsigned long x)			\
{								\
	char some[16 + x % 100];				\
								\
	memset(some, x, sizeof(some));				\
	next(x + some[x % 16]);					\
	sink += some[3];					\
}
LEVEL(19, f20, 3) LEVEL(18, f19, 20) VARYING(17, f18)

NOINLINE static void f16(unsigned long x)
{
	for (unsigned long i = 0; i < again; i++)
		if ((x + i) & 1)
			f17(x + i);
		else
			f17(x - i);
	sink += x;
}

LEVEL(15, f16, 200) LEVEL(14, f15, 7)
LEVEL(13, f14, 2) VARYING(12, f13) LEVEL(11, f12, 33) LEVEL(10, f11, 64) LEVEL(9, f10, 5) LEVEL(8, f9, 1)
LEVEL(7, f8, 12) LEVEL(6, f7, 9) LEVEL(5, f6, 300) VARYING(4, f5) LEVEL(3, f4, 2) LEVEL(2, f3, 8)
LEVEL(1, f2, 16)

static unsigned long turns = 1000;

NOINLINE static void *even_thread(void *arg)
{
	for (unsigned long n = turns; n--; )
		f1(n * 2654435761UL);
	return arg;
}

NOINLINE static void *odd_thread(void *arg)
{
	is_odd = true;
	for (unsigned long n = turns; n--; )
		f1(n * 2654435761UL);
	return arg;
}

int main(int argc, char **argv)
{
	unsigned long threads = argc > 5 ? strtoul(argv[5], NULL, 0) : 0;
	pthread_t last;

	if (argc > 1)
		turns = strtoul(argv[1], NULL, 0);
	if (argc > 2 && !strcmp(argv[2], "read"))
		zero = open("/dev/zero", O_RDONLY);
	by_signal = argc > 2 && !strcmp(argv[2], "signal");
	signal(SIGUSR1, on_signal);
	if (argc > 3)
		again = strtoul(argv[3], NULL, 0);
	if (argc > 4)
		deeper = strtoul(argv[4], NULL, 0);
	for (unsigned long i = 0; i < threads; i++)
		if (pthread_create(&last, NULL, i & 1 ? odd_thread : even_thread, NULL))
			return 1;
	for (unsigned long n = turns; n--; )
		f1(n * 2654435761UL);
	return 0;
}
