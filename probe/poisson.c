// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * poisson.c -- bytes sampled at random, and what each sample then stands for.
 *
 * libm would be one more library in somebody's program: both functions are series here.
 */
#include "config.h"
#include "probe/poisson.h"

#define LN2		0.693147180559945309417
#define FRACTION	53	/* bits of a double */

/* Of 0 < x <= 1: the part in [0.5, 1), whose series in (m - 1) / (m + 1) is short, and a power of two. */
static double logarithm(double x)
{
	double s, power, sum = 0;
	int exponent = 0;

	while (x < 0.5) {
		x *= 2;
		exponent--;
	}
	s = (x - 1) / (x + 1);
	power = s;
	for (int i = 1; i < 40; i += 2) {
		sum += power / i;
		power *= s * s;
	}
	return 2 * sum + exponent * LN2;
}

/* 1 - exp(-x), exact for small x too: of a part of x so small that its series is short, doubled. */
static double met(double x)
{
	double sum = 0, term = -1;
	int doubled = 0;

	if (x > 40)
		return 1;
	for (; x > 0.25; doubled++)
		x /= 2;
	for (int i = 1; i < 16; i++) {
		term *= -x / i;
		sum += term;
	}
	while (doubled--)
		sum = sum * (2 - sum);
	return sum;
}

/* 0 < ... <= 1 */
static double uniform(uint64_t *seed)
{
	return (double)((poisson_random(seed) >> (64 - FRACTION)) + 1) / (double)(1ULL << FRACTION);
}

uint64_t poisson_gap(uint64_t *seed, uint64_t mean)
{
	return 1 + (uint64_t)(-logarithm(uniform(seed)) * (double)mean);
}

static uint64_t rounded(uint64_t *seed, double x)
{
	uint64_t whole = (uint64_t)x;

	return whole + (uniform(seed) <= x - (double)whole);
}

void poisson_weigh(uint64_t *seed, uint64_t mean, uint64_t size, uint64_t *bytes, uint64_t *blocks)
{
	double p = met((double)size / (double)mean);

	*bytes = rounded(seed, (double)size / p);
	*blocks = rounded(seed, 1 / p);
}
