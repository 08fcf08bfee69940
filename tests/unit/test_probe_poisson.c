// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_probe_poisson.c -- sampled bytes and blocks against all of them: right on average, at every size.
 */
#include "config.h"
#include "probe/poisson.h"

#include <math.h>

#include "tests/unit/check.h"

#define TURNS	2000000

/* A sum that was estimated by samples of a variance each. */
static void check(double got, double want, double variance)
{
	if (fabs(got - want) > 5 * sqrt(variance) + 1e-9 * want)
		fail_msg("%.1f, not %.1f +- %.1f", got, want, sqrt(variance));
}

/* The mean and the spread of a gap, which is rounded up, and how often it is at least so long. */
static void test_gap(void **state)
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

/* As a heap meets blocks: a gap over several, or several gaps in one. */
static void test_estimates(void **state)
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
			/* And what rounding adds: at most a quarter for each sample. */
			check(sum_bytes, TURNS * size, TURNS * (size * size * (1 - p) / p + p / 4));
			check(sum_blocks, TURNS, TURNS * ((1 - p) / p + p / 4));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_estimates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
