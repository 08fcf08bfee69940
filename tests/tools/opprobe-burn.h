/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opprobe-burn.h -- functions with known call paths that use CPU time, for the probe's tests. */
#ifndef OPPROBE_BURN_H
#define OPPROBE_BURN_H

#include <stdint.h>

/*
 * Mark a function that is neither inlined nor cloned, so that it has exactly one name in profiles.
 */
#define APART __attribute__((noinline, noclone))

static volatile uint64_t sink;

/* Execute @n steps of computation, without a system call. */
APART void burn(uint64_t n)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < n; i++) {
		x = x * 6364136223846793005u + i;
		__asm__ volatile("" : : "r"(x));
	}
	sink = x;
}

/* Call burn() directly. */
APART void straight(uint64_t n)
{
	burn(n);
	sink++;
}

/* Call itself @depth times recursively, and then burn(). */
APART void again(int depth, uint64_t n)
{
	if (depth)
		again(depth - 1, n);
	else
		burn(n);
	sink++;
}

#endif
