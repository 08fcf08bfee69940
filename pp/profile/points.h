/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * points.h -- samples by address, from which the details of entries are made.
 */
#ifndef PP_PROFILE_POINTS_H
#define PP_PROFILE_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "pp/profile/part.h"

/* A sample at an address. */
struct pp_point {
	uint64_t vma, count;
	uint32_t entry, class;
};

struct pp_points {		/* zeroed: none */
	struct pp_point *items;
	size_t nr;
};

/* -ENOMEM. */
int pp_points_add(struct pp_points *points, const struct pp_point *point);
/* Make the details of the entries of @part, and empty @points. Return 0 or -ENOMEM. */
int pp_points_settle(struct pp_points *points, struct pp_part *part, size_t nr_classes);
void pp_points_release(struct pp_points *points);

#endif
