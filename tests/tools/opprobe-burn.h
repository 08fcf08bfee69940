/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opprobe-burn.h -- functions that compute, on known call paths, for subjects of the probe's tests.
 */
#ifndef OPPROBE_BURN_H
#define OPPROBE_BURN_H

#include <stdint.h>

/* A function that stays a function of its own, with one name. */
#define APART __attribute__((noinline, noclone))

static volatile uint64_t sink;

/* Compute for @n steps, without a system call. */
APART void burn(uint64_t n)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < n; i++) {
		x = x * 6364136223846793005u + i;
		__asm__ volatile("" : : "r"(x));
	}
	sink = x;
}

/* burn(), called by a function with one call. */
APART void straight(uint64_t n)
{
	burn(n);
	sink++;
}

/* burn(), below @depth calls of this function by itself. */
APART void again(int depth, uint64_t n)
{
	if (depth)
		again(depth - 1, n);
	else
		burn(n);
	sink++;
}

#endif
