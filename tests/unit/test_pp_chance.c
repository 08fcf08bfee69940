// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_chance.c -- compares confidence intervals of the ratio of two counts with sums of
 * binomial probabilities. */
#include "config.h"
#include "tests/unit/check.h"

#include <math.h>

#include "pp/join/chance.h"

static void assert_near(double got, double want)
{
	if (fabs(got - want) > 1e-6 * (1 + fabs(want)))
		fail_msg("%.10g instead of %.10g", got, want);
}

/* Return the probability of exactly @k successes in @n trials of probability @p. */
static double binomial_probability(int n, int k, double p)
{
	return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
		   (n - k) * log1p(-p));
}

/* Return the probability of at least @k successes in @n trials of probability @p. */
static double probability_at_least(int n, int k, double p)
{
	double sum = 0;

	for (int i = k; i <= n; i++)
		sum += binomial_probability(n, i, p);
	return sum;
}

/*
 * If the true ratio is at a limit of the interval, counts at least as extreme as the observed ones
 * have half of the allowed probability of error.
 */
static void interval_limits_have_stated_probability(void **state)
{
	(void)state;
	for (int before = 0; before < 40; before += 3)
		for (int after = 0; after < 300; after += 7) {
			int n = before + after;
			struct pp_interval r;

			if (!n)
				continue;
			r = pp_ratio_interval(before, after, 0.01);
			if (after)
				assert_near(probability_at_least(n, after, r.low / (r.low + 1)),
					    0.005);
			else
				assert_true(r.low == 0);
			if (before)
				assert_near(probability_at_least(n, before, 1 / (r.high + 1)),
					    0.005);
			else
				assert_true(isinf(r.high));
		}
	/*
	 * For five samples after the change and none before, the lower limit of the share is the
	 * fifth root of half the error.
	 */
	assert_near(pp_ratio_interval(0, 5, 0.01).low,
		    pow(0.005, 0.2) / (1 - pow(0.005, 0.2)));
}

/* For large counts, the interval equals that of a normal distribution of the logarithm of the
 * ratio. */
static void limits_of_large_counts_are_log_normal(void **state)
{
	static const double counts[] = { 1e5, 1e6, 3e6, 9e6, 1e12 };
	const size_t nr = sizeof(counts) / sizeof(counts[0]);

	(void)state;
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < nr; j++) {
			double before = counts[i], after = counts[j];
			double width = 2.5758293 * sqrt(1 / before + 1 / after);
			struct pp_interval r = pp_ratio_interval(before, after, 0.01);

			assert_true(fabs(log(r.high / (after / before)) / width - 1) < 0.01);
			assert_true(fabs(log(after / before / r.low) / width - 1) < 0.01);
			for (double ratio = 1e-8; ratio < 1e8; ratio *= 1.7)
				assert_int_equal(pp_ratio_differs(before, after, ratio, 0.01),
						 ratio < r.low || ratio > r.high);
		}
}

/* For each true ratio, the interval contains this ratio with at least the stated probability. */
static void intervals_have_stated_coverage(void **state)
{
	(void)state;
	for (int n = 1; n < 120; n += 13)
		for (double ratio = 0.2; ratio < 5; ratio *= 1.3) {
			double missed = 0;

			for (int k = 0; k <= n; k++) {
				struct pp_interval r = pp_ratio_interval(n - k, k, 0.05);

				assert_int_equal(pp_ratio_differs(n - k, k, ratio, 0.05),
						 ratio < r.low || ratio > r.high);
				if (ratio < r.low || ratio > r.high)
					missed += binomial_probability(n, k, ratio / (ratio + 1));
			}
			assert_true(missed <= 0.05 + 1e-9);
		}
}

static double factor_of(const uint64_t *before, size_t nr_before, const uint64_t *after,
			size_t nr_after, size_t stride)
{
	return pp_runs_factor(&(struct pp_run_counts){ before, nr_before, NULL },
			      &(struct pp_run_counts){ after, nr_after, NULL }, stride, 0.01);
}

static void scattered_runs_widen_intervals(void **state)
{
	const uint64_t equal[] = { 100, 100, 100 }, spread[] = { 50, 100, 150 }, none[] = { 0, 0 };
	const double sixths[] = { 1. / 6, 2. / 6, 3. / 6 };
	double factor;

	(void)state;
	assert_near(factor_of(equal, 1, equal, 1, 1), 1);
	assert_near(factor_of(equal, 3, equal, 3, 1), 1);
	assert_near(factor_of(none, 2, none, 2, 1), 1);
	/* The variance is 50 * 50 / 100 * 2 = 50 with two degrees of freedom, and 12.5 with two
	 * more on the other side. The limit at 99 % of Student's distribution is 4.604095 for four
	 * degrees, that of the normal distribution 2.575829. */
	factor = factor_of(spread, 3, equal, 3, 1);
	assert_near(factor, 12.5 * pow(4.60409487 / 2.57582930, 2));
	/* Of two classes, only the counts of the first class are used: 50, 100 and 150. */
	assert_near(factor_of((uint64_t[]){ 50, 7, 100, 7, 150 }, 3, equal, 1, 2),
		    25 * pow(9.92484320 / 2.57582930, 2));
	/* Periods of one, two and three hours have exactly the expected numbers of samples. */
	assert_near(pp_runs_factor(&(struct pp_run_counts){ spread, 3, sixths },
				   &(struct pp_run_counts){ equal, 1, NULL }, 1, 0.01), 1);
	/*
	 * The three counts are equal, so the shortest period has 50 samples more than expected, and
	 * the longest period 50 fewer.
	 */
	factor = 50. * 50 / 50 + 50. * 50 / 150;
	assert_near(pp_runs_factor(&(struct pp_run_counts){ equal, 3, sixths },
				   &(struct pp_run_counts){ equal, 1, NULL }, 1, 0.01),
		    factor / 2 * pow(9.92484320 / 2.57582930, 2));
}

static void tests_without_power_are_not_counted(void **state)
{
	double samples[1000];

	(void)state;
	for (int i = 0; i < 1000; i++)
		samples[i] = i < 10 ? 500 : 3;
	/* A set of three samples has no probability below 1/8. */
	assert_int_equal(pp_nr_tests(samples, 1000, 1, 0.01), 10);
	assert_int_equal(pp_nr_tests(samples, 5, 1, 0.01), 5);
	assert_int_equal(pp_nr_tests(samples, 0, 1, 0.01), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_limits_have_stated_probability),
		cmocka_unit_test(limits_of_large_counts_are_log_normal),
		cmocka_unit_test(intervals_have_stated_coverage),
		cmocka_unit_test(scattered_runs_widen_intervals),
		cmocka_unit_test(tests_without_power_are_not_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
