/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thin.h -- unbiased thinning of rows.
 *
 * T is a limit. A row with the count c is kept with the probability min(1, c / T), and then has the
 * count max(c, T); otherwise it is dropped. So the expected sum of any group of rows is its exact
 * sum.
 */
#ifndef OPEXPORT_THIN_H
#define OPEXPORT_THIN_H

#include <stddef.h>
#include <stdint.h>

/* Return the smallest T for which the expected number of kept rows is at most @max; 1: all rows are
 * kept. @counts: the counts of the @nr rows, in ascending order. */
uint64_t export_thin_limit(const uint64_t *counts, size_t nr, size_t max);

/* Return the new count of a row with the count @count; 0: the row is dropped. @limit: T. @random: a
 * random number, which the caller derives from the row, so that a repeated export drops the same
 * rows. */
uint64_t export_thin(uint64_t count, uint64_t limit, uint64_t random);

#endif
