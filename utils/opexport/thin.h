/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thin.h -- unbiased thinning of rows: a row with the count c stays with the probability
 * min(1, c / T), as max(c, T). So the expected sum of each group of rows is its exact sum.
 */
#ifndef OPEXPORT_THIN_H
#define OPEXPORT_THIN_H

#include <stddef.h>
#include <stdint.h>

/* Return the smallest T with which at most @max of the @nr counts are expected to stay; 1 if all
 * stay. @counts is sorted in ascending order. */
uint64_t export_thin_limit(const uint64_t *counts, size_t nr, size_t max);

/* Return the count with which a row of the count @count stays; 0: the row is dropped. @random: a
 * random number, which the caller derives from the row, so that a repeated export drops the same
 * rows. */
uint64_t export_thin(uint64_t count, uint64_t limit, uint64_t random);

#endif
