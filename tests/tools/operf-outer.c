// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operf-outer.c -- a program whose outer frames change while its inner frames stay equal.
 *
 * a() and b() have frames of the same size. Alternately, for up to LONGEST ms, they call rec(),
 * which calls itself up to three times and then mid(), whose frame has MID bytes. The name of the
 * innermost function shows the path: leaf_a2 was called by mid < rec < rec < rec < a < main.
 *
 * Usage: operf-outer SECONDS (of CPU time)
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define LONGEST	3
#ifndef MID
#define MID	17000
#endif

typedef int (*leaf_fn)(uint64_t end);

static volatile unsigned long sum;

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static inline __attribute__((always_inline)) int work_until(uint64_t end)
{
	do
		for (int i = 0; i < 3000; i++)
			sum += (unsigned long)i;
	while (now() < end);
	return 1;
}

#define LEAF(name) static __attribute__((noinline)) int leaf_##name(uint64_t end) { return work_until(end); }
LEAF(a0) LEAF(a1) LEAF(a2) LEAF(a3)
LEAF(b0) LEAF(b1) LEAF(b2) LEAF(b3)

static __attribute__((noinline)) int mid(leaf_fn leaf, uint64_t end)
{
	volatile char room[MID];

	/*
	 * Write to each page of the frame, because the kernel does not copy stack pages that were
	 * never used.
	 */
	for (int i = 0; i < MID; i += 512)
		room[i] = 1;
	return leaf(end) + room[0];
}

static __attribute__((noinline)) int rec(int depth, leaf_fn leaf, uint64_t end)
{
	volatile char room[1000];

	room[0] = 1;
	return (depth ? rec(depth - 1, leaf, end) : mid(leaf, end)) + room[0];
}

static __attribute__((noinline)) int a(int depth, uint64_t end)
{
	static const leaf_fn leaves[] = { leaf_a0, leaf_a1, leaf_a2, leaf_a3 };

	return rec(depth, leaves[depth], end) + 1;
}

static __attribute__((noinline)) int b(int depth, uint64_t end)
{
	static const leaf_fn leaves[] = { leaf_b0, leaf_b1, leaf_b2, leaf_b3 };

	return rec(depth, leaves[depth], end) + 2;
}

int main(int argc, char **argv)
{
	uint64_t stop = strtoull(argv[argc - 1], NULL, 10) * 1000000000, end;

	for (int i = 0; read_clock(CLOCK_PROCESS_CPUTIME_ID) < stop; i++) {
		end = now() + (uint64_t)(1 + rand() % LONGEST) * 1000000;
		sum += (unsigned long)(i & 1 ? a(rand() % 4, end) : b(rand() % 4, end));
	}
	return 0;
}
