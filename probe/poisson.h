/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * poisson.h -- sampling bytes at random, one in @mean on average, and the weight of each sample.
 *
 * A gap has at least n bytes with the probability exp(-n / mean), independently of earlier gaps. So
 * a block of n bytes is sampled with the probability 1 - exp(-n / mean), and its weight is the
 * inverse of that. Weights are rounded at random, so that the expected sum over blocks is the true
 * one.
 */
#ifndef PROBE_POISSON_H
#define PROBE_POISSON_H

#include <stdint.h>

/* Return a random number, which is not 0. */
static inline uint64_t poisson_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed * 0x2545f4914f6cdd1dULL;
}

/* Return the number of bytes, at least 1, up to and including the next sample. */
uint64_t poisson_gap(uint64_t *seed, uint64_t mean);

/* Compute the weight of a sampled block of @size bytes. */
void poisson_weigh(uint64_t *seed, uint64_t mean, uint64_t size, uint64_t *bytes, uint64_t *blocks);

#endif
