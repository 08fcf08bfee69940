// SPDX-License-Identifier: GPL-2.0-or-later
/* chance.c -- confidence intervals of the change between two counts of samples. */
#include "config.h"
#include "pp/join/chance.h"

#include <float.h>
#include <math.h>

#define MAX_TERMS	100000 /* maximum number of terms of a sum; MANY samples need fewer terms */
/* If the total number of samples exceeds this limit, approximate the logarithm of the ratio by a
 * normal distribution. Above this limit, the approximation changes the interval by less than a
 * millionth. */
#define MANY		4e6

/* Return the continued fraction of the incomplete beta function (Lentz's method). */
static double fraction(double x, double a, double b)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), value;

	d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
	value = d;
	for (int m = 1; m < MAX_TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		const double terms[] = { even, odd };
		double step = 1;

		for (int i = 0; i < 2; i++) {
			d = 1 + terms[i] * d;
			d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
			c = 1 + terms[i] / c;
			if (fabs(c) < DBL_MIN)
				c = DBL_MIN;
			step = c * d;
			value *= step;
		}
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return value;
}

/* Return the logarithm of the gamma function. lgamma() writes a global variable, but several
 * threads compute lines. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

static double log_beta(double a, double b)
{
	return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

/* Return the regularized incomplete beta function of @x: the probability that a random variable
 * with the beta distribution (@a, @b) is at most @x. @y: 1 - @x. @log_b: log_beta() of @a and
 * @b. */
static double beta_of(double x, double y, double a, double b, double log_b)
{
	double scale;

	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	scale = exp(a * log(x) + b * log(y) - log_b);
	if (x < (a + 1) / (a + b + 2))
		return scale * fraction(x, a, b) / a;
	return 1 - scale * fraction(y, b, a) / b;
}

/* Return the odds x / (1 - x) of the @p-quantile x of the beta distribution (@a, @b). Newton's
 * method is applied to the logarithm of the odds, whose distribution is nearly symmetric, because
 * the method then converges fast. */
static double odds_of(double p, double a, double b)
{
	double low = -700, high = 700, log_b = log_beta(a, b);
	double at = log(a / b);

	for (int i = 0; i < 200; i++) {
		double x = at > 0 ? 1 / (1 + exp(-at)) : exp(at) / (1 + exp(at));
		double y = at > 0 ? exp(-at) / (1 + exp(-at)) : 1 / (1 + exp(at));
		double wrong = beta_of(x, y, a, b, log_b) - p;
		double slope = exp(a * log(x) + b * log(y) - log_b), next;

		if (wrong > 0)
			high = at;
		else
			low = at;
		next = at - wrong / slope;
		if (!(next > low && next < high))
			next = (low + high) / 2;
		if (fabs(next - at) < 1e-11 * (1 + fabs(at)))
			break;
		at = next;
	}
	return exp(at);
}

/* Return the number z for which a normal variable differs from its mean by more than z standard
 * deviations, in either direction, with the probability @error. */
static double normal_limit(double error)
{
	double low = 0, high = 40;

	for (int i = 0; i < 60; i++) {
		double at = (low + high) / 2;

		if (erfc(at / M_SQRT2) > error)
			low = at;
		else
			high = at;
	}
	return low;
}

struct pp_interval pp_ratio_interval(double before, double after, double error)
{
	if (before > MANY && after > MANY) {
		double width = normal_limit(error) * sqrt(1 / before + 1 / after);

		return (struct pp_interval){ after / before * exp(-width),
					     after / before * exp(width) };
	}
	return (struct pp_interval){
		.low = after > 0 ? odds_of(error / 2, after, before + 1) : 0,
		.high = before > 0 ? odds_of(1 - error / 2, after + 1, before) : INFINITY,
	};
}

bool pp_ratio_differs(double before, double after, double ratio, double error)
{
	double share = ratio / (ratio + 1), rest = 1 / (ratio + 1);

	if (before > MANY && after > MANY)
		return fabs(log(after / before / ratio)) >
		       normal_limit(error) * sqrt(1 / before + 1 / after);
	return (after > 0 && beta_of(share, rest, after, before + 1,
				     log_beta(after, before + 1)) < error / 2) ||
	       (before > 0 && beta_of(rest, share, before, after + 1,
				      log_beta(before, after + 1)) < error / 2);
}

/* Add to *@sum the squared deviation of each count from its expected value, divided by that value
 * (chi-squared). Return the degrees of freedom. */
static size_t add_deviations(double *sum, const struct pp_run_counts *runs, size_t stride)
{
	double all = 0;

	for (size_t i = 0; i < runs->nr; i++)
		all += (double)runs->counts[i * stride];
	if (runs->nr < 2 || all <= 0)
		return 0;
	for (size_t i = 0; i < runs->nr; i++) {
		double mean = all * (runs->shares ? runs->shares[i] : 1 / (double)runs->nr);
		double d = (double)runs->counts[i * stride] - mean;

		*sum += d * d / mean;
	}
	return runs->nr - 1;
}

double pp_runs_factor(const struct pp_run_counts *before, const struct pp_run_counts *after,
		      size_t stride, double error)
{
	double sum = 0, wide, factor;
	size_t free = add_deviations(&sum, before, stride) + add_deviations(&sum, after, stride);

	if (!free)
		return 1;
	/* the square of the limit t of Student's distribution, from x = free / (free + t²) */
	wide = (double)free / odds_of(error, (double)free / 2, 0.5);
	factor = sum / (double)free * wide / pow(normal_limit(error), 2);
	return factor > 1 ? factor : 1;
}

/* Return the smallest p-value that a test with the ratio @ratio can have for @samples samples. The
 * p-value is smallest if all samples are on the second side. */
static double least(double samples, double ratio)
{
	return exp(samples * log(ratio / (ratio + 1)));
}

static size_t nr_able(const double *samples, size_t nr, double ratio, double limit)
{
	size_t able = 0;

	for (size_t i = 0; i < nr; i++)
		able += least(samples[i], ratio) <= limit;
	return able;
}

size_t pp_nr_tests(const double *samples, size_t nr, double ratio, double error)
{
	size_t low = 1, high = nr ? nr : 1;

	/* Find the smallest divisor of the error probability that is not smaller than the number of
	 * tests that could still reject with the divided error probability. */
	while (low < high) {
		size_t tests = low + (high - low) / 2;

		if (nr_able(samples, nr, ratio, error / 2 / (double)tests) <= tests)
			high = tests;
		else
			low = tests + 1;
	}
	return low;
}
