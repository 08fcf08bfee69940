/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chance.h -- the significance of a change between two counts of samples.
 *
 * A number of samples is a Poisson variable: repeated measurements of the same program vary around
 * their mean with a variance equal to the mean. If the ratio of two means is r, each sample belongs
 * to the second side with the probability r / (r + 1). So the number of samples of the second side
 * has a binomial distribution. The interval of the ratio follows exactly, for any number of
 * samples, and is never too narrow (the Clopper-Pearson interval).
 */
#ifndef PP_JOIN_CHANCE_H
#define PP_JOIN_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_interval {
	double low, high;	/* limits of the interval; .high may be INFINITY */
};

/* Return the confidence interval of the ratio of two means. @before and @after: the numbers of
 * samples; they may be fractions, but not both 0. The true ratio is outside the interval with a
 * probability of at most @error, half of it on each side. */
struct pp_interval pp_ratio_interval(double before, double after, double error);

/* Return whether @ratio is outside the interval that pp_ratio_interval() would return. This
 * function is faster because it does not compute the limits. */
bool pp_ratio_differs(double before, double after, double ratio, double error);

/* The counts of single runs, on one side (before or after) of a comparison. */
struct pp_run_counts {
	const uint64_t *counts;
	size_t nr;		/* number of runs of this side */
	/* for each run: its expected share of all counts; NULL: equal shares */
	const double *shares;
};

/* Return the factor by which runs of the same command vary more than by chance: the variance of a
 * sum, divided by the sum. The factor also covers the uncertainty of the variance itself, so that
 * pp_ratio_interval() of counts divided by the factor has the error probability @error. Return 1 if
 * runs vary only by chance, or if no side has two runs. @stride: distance between the counts of two
 * runs. */
double pp_runs_factor(const struct pp_run_counts *before, const struct pp_run_counts *after,
		      size_t stride, double error);

/* Return the number of tests by which the error probability of a decision has to be divided
 * (multiple testing), at least 1. The decision is that at least one of @nr ratios is more than
 * @ratio. @samples: for each test, the samples of both sides. Tests with too few samples for any
 * decision do not count (Tarone's method). */
size_t pp_nr_tests(const double *samples, size_t nr, double ratio, double error);

#endif
