// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * poisson.c -- random sampling of bytes, and the weight of each sample.
 *
 * Uses fixed-point numbers in units of 1 / ONE. Floating point would depend on the program's
 * rounding mode and change its exception flags, and the program may have enabled traps for inexact
 * results.
 */
#include "config.h"
#include "probe/core/poisson.h"

#include <stdbool.h>

#define BITS	32
#define ONE	(1ULL << BITS)
#define LN2	2977044472ULL

/* Return the quotient @n / @by as a fixed-point number. @n must be less than @by. */
static uint64_t fraction(uint64_t n, uint64_t by)
{
	uint64_t bits = 0;

	for (int i = 0; i < BITS; i++) {
		bool carry = n >> 63;

		n <<= 1;
		bits <<= 1;
		if (carry || n >= by) {
			n -= by;
			bits++;
		}
	}
	return bits;
}

/* A sum: a 64-bit integer part and a fixed-point fraction. */
struct sum {
	uint64_t whole, part;
};

static struct sum multiply(uint64_t n, uint64_t by)
{
	uint64_t high = n >> BITS, low = n % ONE, least = low * (by % ONE);

	return (struct sum){ n * (by >> BITS) + high * (by % ONE) + (least >> BITS), least % ONE };
}

static uint64_t rounded(uint64_t *seed, struct sum x)
{
	return x.whole + (poisson_random(seed) >> (64 - BITS) < x.part);
}

/* Return -ln(r / 2^64) as a fixed-point number: split off a power of two, and compute the logarithm
 * of the remaining factor as 2 atanh(s), where s is at most 1/3. */
static uint64_t logarithm(uint64_t r)
{
	int power = __builtin_clzll(r);
	uint64_t rest = r << power >> (64 - BITS), s = ((ONE - rest) << BITS) / (ONE + rest),
		 term = s, sum = 0;

	for (unsigned int i = 1; term; i += 2) {
		sum += term / i;
		term = (term * s >> BITS) * s >> BITS;
	}
	return 2 * sum + power * LN2;
}

uint64_t poisson_gap(uint64_t *seed, uint64_t mean)
{
	return 1 + multiply(mean, logarithm(poisson_random(seed))).whole;
}

/* Return x / (1 - exp(-x)) for x < 1 / 4. */
static uint64_t small_share(uint64_t x)
{
	uint64_t square = x * x >> BITS, fourth = square * square >> BITS;

	return ONE + x / 2 + square / 12 - fourth / 720;
}

/* Return 1 / (1 - exp(-x)) for x >= 1 / 4: halve x until the series for exp(-x) converges fast,
 * then square the result once for each halving. */
static uint64_t large_share(uint64_t x)
{
	uint64_t sum = ONE, term = ONE;
	int squared = 0;

	for (; x > ONE / 4; squared++)
		x /= 2;
	for (unsigned int i = 1; term; i++) {
		term = (term * x >> BITS) / i;
		sum = i % 2 ? sum - term : sum + term;
	}
	while (squared--)
		sum = (sum >> 1) * sum >> (BITS - 1);
	return UINT64_MAX / (ONE - sum);
}

void poisson_weigh(uint64_t *seed, uint64_t mean, uint64_t size, uint64_t *bytes, uint64_t *blocks)
{
	uint64_t whole = size / mean, share;
	struct sum sum, nr;

	if (whole >= 40) {
		*bytes = size;
		*blocks = 1;
		return;
	}
	share = whole << BITS | fraction(size % mean, mean);
	if (share < ONE / 4) {
		sum = multiply(mean, small_share(share));
		nr = (struct sum){ sum.whole / size, fraction(sum.whole % size, size) };
	} else {
		share = large_share(share);
		sum = multiply(size, share);
		nr = (struct sum){ share >> BITS, share % ONE };
	}
	*bytes = rounded(seed, sum);
	*blocks = rounded(seed, nr);
}
