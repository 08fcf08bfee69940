/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * percent.h -- percentages in seven characters, as OProfile prints them.
 *
 * Values are rounded to nearest, but only all samples are printed as 100. Values close to 100 get
 * more digits, and only they take more than seven characters.
 */
#ifndef PP_FORMAT_PERCENT_H
#define PP_FORMAT_PERCENT_H

#include <stdint.h>

#define PP_PERCENT_WIDTH 7

#define PP_PERCENT_SIZE 32	/* size of a buffer for a percentage, including the NUL */

/* Write @part as a percentage of @total, such as "12.3456", "100.000", "5.0e-04" or "99.99995".
 * Return the length. If @total is 0, write 0. */
int pp_percent(char buf[PP_PERCENT_SIZE], uint64_t part, uint64_t total);

#endif
