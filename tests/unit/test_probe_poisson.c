// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_probe_poisson.c -- tests that sampled bytes and blocks equal the totals on average, for
 * every block size.
 */
#include "config.h"
#include "probe/core/poisson.h"

#include <fenv.h>
#include <math.h>

#include "tests/unit/check.h"

#define TURNS	2000000

/*
 * Fail if the sum of random numbers @got differs from @want by more than five standard deviations.
 * @variance is the variance of the sum.
 */
static void check(double got, double want, double variance)
{
	if (fabs(got - want) > 5 * sqrt(variance) + 1e-9 * want)
		fail_msg("%.1f, not %.1f +- %.1f", got, want, sqrt(variance));
}

/*
 * The gap between two sampled bytes has the same mean, variance and proportion of long gaps as a
 * rounded-up exponential variable.
 */
static void test_gaps_are_exponential(void **state)
{
	static const uint64_t means[] = { 1, 2, 7, 1000, 524288, 1 << 30 };

	(void)state;
	for (size_t m = 0; m < sizeof(means) / sizeof(means[0]); m++) {
		uint64_t seed = 1 + m, longer = 0;
		double sum = 0, mean = (double)means[m], p = exp(-1 / mean), tail = exp(-2.0);

		for (int i = 0; i < TURNS; i++) {
			uint64_t gap = poisson_gap(&seed, means[m]);

			assert_true(gap >= 1);
			sum += (double)gap;
			longer += gap > 2 * means[m];
		}
		check(sum, TURNS / (1 - p), TURNS * p / (1 - p) / (1 - p));
		check((double)longer, TURNS * tail, TURNS * tail * (1 - tail));
	}
}

/*
 * The sampled bytes and blocks estimate the totals correctly, whether a gap spans several blocks or
 * a block contains several gaps. A gap is the number of bytes between two sampled bytes.
 */
static void test_estimates_have_no_bias(void **state)
{
	static const uint64_t sizes[] = { 1, 16, 100, 1000, 1500, 4096, 100000 }, means[] = { 1, 512, 1000, 65536 };

	(void)state;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (size_t m = 0; m < sizeof(means) / sizeof(means[0]); m++) {
			uint64_t seed = 99 + k * 10 + m, left = poisson_gap(&seed, means[m]), bytes, blocks;
			double size = (double)sizes[k], p = -expm1(-size / (double)means[m]), sum_bytes = 0, sum_blocks = 0;

			for (int i = 0; i < TURNS; i++) {
				if (left > sizes[k]) {
					left -= sizes[k];
					continue;
				}
				poisson_weigh(&seed, means[m], sizes[k], &bytes, &blocks);
				sum_bytes += (double)bytes;
				sum_blocks += (double)blocks;
				left = poisson_gap(&seed, means[m]);
			}
			/*
			 * The variance of the sum includes the rounding of gaps, which adds at most
			 * 1/4 for each sample.
			 */
			check(sum_bytes, TURNS * size, TURNS * (size * size * (1 - p) / p + p / 4));
			check(sum_blocks, TURNS, TURNS * ((1 - p) / p + p / 4));
		}
}

/* For the smallest and the largest blocks, the weight of one sample is correct. */
static void test_weights_of_extreme_blocks(void **state)
{
	static const struct { uint64_t mean, size; } cases[] = {
		{ 2, 1 }, { 1000, 249 }, { 1000, 250 }, { 1000, 251 }, { 1 << 30, 1 }, { 1 << 30, 12345 }, { 3, 119 }, { 3, 120 },
		{ 512, 1ULL << 46 }, { 1 << 30, 1ULL << 32 }, { 1 << 30, (1ULL << 35) - 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double size = (double)cases[i].size, p = -expm1(-size / (double)cases[i].mean);
		uint64_t seed = 7 + i, bytes, blocks;

		for (int turn = 0; turn < 100; turn++) {
			poisson_weigh(&seed, cases[i].mean, cases[i].size, &bytes, &blocks);
			assert_true(fabs((double)bytes - size / p) <= 1 + 1e-6 * size / p);
			assert_true(fabs((double)blocks - 1 / p) <= 1 + 1e-6 / p);
		}
	}
}

static void test_floating_point_state_is_unchanged(void **state)
{
	uint64_t seed = 5, bytes, blocks, first[2] = { 0, 0 };

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		assert_int_equal(fesetround(turn ? FE_UPWARD : FE_TONEAREST), 0);
		feclearexcept(FE_ALL_EXCEPT);
		seed = 5;
		for (int i = 0; i < 1000; i++) {
			first[turn] += poisson_gap(&seed, 1000 + i);
			poisson_weigh(&seed, 1000, 1 + 40 * i, &bytes, &blocks);
			first[turn] += bytes + blocks;
		}
		assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
	}
	fesetround(FE_TONEAREST);
	assert_int_equal(first[0], first[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gaps_are_exponential),
		cmocka_unit_test(test_estimates_have_no_bias),
		cmocka_unit_test(test_weights_of_extreme_blocks),
		cmocka_unit_test(test_floating_point_state_is_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
