/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h -- monotonic time for deadlines, budgets and ages.
 */
#ifndef OP_CLOCK_H
#define OP_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t op_clock_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

static inline uint64_t op_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Return CLOCK_MONOTONIC in nanoseconds. */
static inline uint64_t op_now_ns(void)
{
	return op_clock_ns(CLOCK_MONOTONIC);
}

/* Return CLOCK_MONOTONIC in milliseconds. */
static inline uint64_t op_now_ms(void)
{
	return op_clock_ms(CLOCK_MONOTONIC);
}

/* Return CLOCK_MONOTONIC_COARSE in milliseconds: the time of the kernel's last tick, up to some
 * 4 ms ago. This function costs a fifth of op_now_ms(). */
static inline uint64_t op_now_coarse_ms(void)
{
	return op_clock_ms(CLOCK_MONOTONIC_COARSE);
}

#endif
