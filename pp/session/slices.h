/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices.h -- slices of a range of time, for pages that show samples over time. */
#ifndef PP_SESSION_SLICES_H
#define PP_SESSION_SLICES_H

#include <stddef.h>

#include "intervals/range.h"
#include "libop/base/time_words.h"

/*
 * Divide the range of time into at most @max slices, sorted by begin. Slices do not overlap, and
 * each interval belongs to one slice. If the range has at most @max intervals, each interval is a
 * slice. Otherwise slices have a round length such as 30 min or 6 h, unless an interval is longer.
 * The caller frees *@ret. Return 0 or -ENOMEM.
 */
int pp_slices_make(struct op_period **ret, size_t *ret_nr, const struct itv_range *range,
		   size_t max);

#endif
