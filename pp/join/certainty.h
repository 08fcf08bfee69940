/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * certainty.h -- statistical significance of the changes in a differential profile (diff.h):
 * confidence intervals, and removal of changes that may be chance.
 */
#ifndef PP_JOIN_CERTAINTY_H
#define PP_JOIN_CERTAINTY_H

#include <stdbool.h>

#include "pp/join/chance.h"
#include "pp/join/diff.h"

/* default probability, in percent, that an interval contains the true change */
#define PP_CERTAINTY	99

/* Set *@ret to the confidence interval of the change of a count, in percent of the count before:
 * the true change is inside the interval with the probability @percent. Return false if the
 * interval does not exist, because the count is exact or no samples exist. @counts: sections of a
 * differential profile, with @stride counts each. @at: index of the count in a section. @class:
 * class (event, for example) of the count. */
bool pp_change_interval(struct pp_interval *ret, const struct pp_diff_facts *facts,
			const uint64_t *counts, size_t stride, size_t at, size_t class,
			double percent);

/* Return whether, in at least one class of samples, the change from the first to the second profile
 * is larger than chance explains. @percent: the required certainty. If the means did not change,
 * the result is true with a probability of at most 100 - @percent. */
bool pp_change_is_significant(const struct pp_profile *diff, const uint64_t *counts,
			      double percent);

/* title of the row that sums hidden lines: their number, and the word for such lines */
#define PP_NOT_SIGNIFICANT	"(not significant: %zu %s)"

/* Remove the lines whose change is not significant (pp_change_is_significant()): functions or, if
 * the profile has no functions, programs. Store their number and the sums of their counts in the
 * facts of the profile. Keep a program that has a significant image, and sum its other images in
 * one row, so that the rows still add up to the program's sum. Return 0 or -ENOMEM; after an error,
 * only pp_profile_destroy() may be called. */
int pp_certainty_filter(struct pp_profile *diff, double percent);

#endif
