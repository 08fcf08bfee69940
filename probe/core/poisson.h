/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * poisson.h -- random sampling of bytes, one in @mean on average, and the weight of each sample.
 *
 * The gap to the next sampled byte exceeds n bytes with the probability exp(-n / mean),
 * independently of earlier gaps. So a block of n bytes is sampled with the probability 1 - exp(-n /
 * mean), and its weight is the inverse of that probability. Weights are rounded up or down at
 * random, so that the expected sum of the weights is exact.
 */
#ifndef PROBE_CORE_POISSON_H
#define PROBE_CORE_POISSON_H

#include <stdint.h>

/* Return a random number other than 0, and update *@seed, which must not be 0. */
static inline uint64_t poisson_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed * 0x2545f4914f6cdd1dULL;
}

/* Draw the number of bytes, at least 1, up to and including the next sampled byte. */
uint64_t poisson_gap(uint64_t *seed, uint64_t mean);

/* Compute the number of bytes and blocks that a sampled block of @size bytes represents. */
void poisson_weigh(uint64_t *seed, uint64_t mean, uint64_t size, uint64_t *bytes, uint64_t *blocks);

#endif
