/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * certainty.h -- the certainty of the changes in a differential profile (diff.h): the interval of
 * each change, lines whose change may be chance, and conditions for an exit status.
 */
#ifndef PP_JOIN_CERTAINTY_H
#define PP_JOIN_CERTAINTY_H

#include <stdbool.h>

#include "pp/join/chance.h"
#include "pp/join/diff.h"

/* default probability that an interval contains the true change, in percent */
#define PP_CERTAINTY	99

/* Set *@ret to the change of a count in percent of the count before: the limits between which the
 * change of the mean is with the probability @percent. Return false if the count is exact, or if
 * there are no samples, so that there is no interval. @counts: an array with @stride counts for
 * each section of a differential profile. @at: the index of the count in a section. @class: the
 * class of the count. */
bool pp_change_interval(struct pp_interval *ret, const struct pp_diff_facts *facts,
			const uint64_t *counts, size_t stride, size_t at, size_t class,
			double percent);

/* Return whether the counts of one class or more changed by more than chance explains: with
 * unchanged means, this result has a probability of at most 100 - @percent. */
bool pp_change_is_significant(const struct pp_profile *diff, const uint64_t *counts,
			      double percent);

/* the title of the sum of lines that are not shown: their number, and the word for such lines */
#define PP_NOT_SIGNIFICANT	"(not significant: %zu %s)"

/* Remove the lines whose change is not significant: entries if there are any, else programs. Store
 * their number and the sums of their counts in the facts of the profile. A program with a
 * significant image is kept; its other images become one row, so that the rows of a program add up
 * to its sum. A line is significant if the counts of one class or more changed by more than chance
 * explains: with unchanged means, a line has a probability of at most 100 - @percent for this.
 * Return 0 or -ENOMEM; after an error, only pp_profile_destroy() may be called. */
int pp_certainty_filter(struct pp_profile *diff, double percent);

#endif
