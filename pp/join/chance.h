/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chance.h -- the certainty of a change between two counts of samples.
 *
 * A number of samples is a Poisson variable: repeated measurements of the same program scatter
 * around their mean with the variance of the mean. If two means have the ratio r, then a share of
 * r / (r + 1) of all samples belongs to the second side, and the number of samples of the second
 * side has a binomial distribution. The interval of the ratio follows exactly, for any number of
 * samples, and is never too narrow (the interval of Clopper and Pearson).
 */
#ifndef PP_JOIN_CHANCE_H
#define PP_JOIN_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_interval {
	double low, high;	/* limits; .high may be INFINITY */
};

/* Return the interval of the ratio of two means from the numbers of samples @before and @after,
 * which are not both 0 and need not be whole numbers. The ratio is outside of the interval with a
 * probability of at most @error: at most half of @error on each side. */
struct pp_interval pp_ratio_interval(double before, double after, double error);

/* Return whether @ratio is outside of pp_ratio_interval(), without the computation of limits. */
bool pp_ratio_differs(double before, double after, double ratio, double error);

/* The counts of one side in single runs. */
struct pp_run_counts {
	const uint64_t *counts;
	size_t nr;		/* number of runs */
	const double *shares;	/* the expected share of each run in all counts; NULL: equal */
};

/* Return the factor by which the counts of both sides vary more than chance, from the counts of
 * single runs of the same command: the variance of a sum, divided by the sum. The factor includes
 * the uncertainty of the variance itself, so that pp_ratio_interval() of counts divided by the
 * factor has the probability @error. Return 1 if the runs do not vary more than chance, or if no
 * side has two runs. @stride: distance of two counts in both arrays. */
double pp_runs_factor(const struct pp_run_counts *before, const struct pp_run_counts *after,
		      size_t stride, double error);

/* Return the number of tests among which the error probability of one decision must be divided,
 * if the decision is that at least one of @nr ratios is more than @ratio. @samples: the samples of
 * both sides of each test. Tests with too few samples for any decision do not count (Tarone's
 * method). The result is at least 1. */
size_t pp_nr_tests(const double *samples, size_t nr, double ratio, double error);

#endif
