/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * poisson.h -- bytes sampled at random, one in so many on average, and what each sample then stands for.
 *
 * A gap has at least n bytes with the probability exp(-n / mean), whatever was before: so a block of n bytes is met with
 * 1 - exp(-n / mean), and counted as the inverse of that many. What is rounded is rounded at random: on average, a sum over
 * blocks is the true one.
 */
#ifndef PROBE_POISSON_H
#define PROBE_POISSON_H

#include <stdint.h>

/* What there is of randomness; never 0. */
static inline uint64_t poisson_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed * 0x2545f4914f6cdd1dULL;
}

/* How many bytes, at least 1, up to the next sample: that byte too. */
uint64_t poisson_gap(uint64_t *seed, uint64_t mean);

/* What a block of @size bytes stands for that was met. */
void poisson_weigh(uint64_t *seed, uint64_t mean, uint64_t size, uint64_t *bytes, uint64_t *blocks);

#endif
