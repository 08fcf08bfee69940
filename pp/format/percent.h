/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * percent.h -- percentages in seven characters, as OProfile prints them.
 */
#ifndef PP_FORMAT_PERCENT_H
#define PP_FORMAT_PERCENT_H

#include <stdint.h>

#define PP_PERCENT_WIDTH 7

/* "12.3456", "100.000", "5.0e-04", "      0". @total 0 gives 0. */
void pp_percent(char buf[PP_PERCENT_WIDTH + 1], uint64_t part, uint64_t total);

#endif
