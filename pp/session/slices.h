/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slices.h -- slices of a range of time, for pages that show samples by time. */
#ifndef PP_SESSION_SLICES_H
#define PP_SESSION_SLICES_H

#include <stddef.h>

#include "intervals/range.h"
#include "libop/base/time_words.h"

/*
 * Divide the range into at most @max slices, sorted by begin. Slices do not overlap, and each part
 * of the range is in one slice as a whole. If the range has more parts than @max, slices have a
 * round length such as 30 min or 6 h, or are longer if a part is longer. The caller frees *@ret.
 * Return 0 or -ENOMEM.
 */
int pp_slices_make(struct op_period **ret, size_t *ret_nr, const struct itv_range *range,
		   size_t max);

#endif
