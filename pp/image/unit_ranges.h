/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_ranges.h -- look-up of the compilation unit of a code address.
 */
#ifndef PP_IMAGE_UNIT_RANGES_H
#define PP_IMAGE_UNIT_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct pp_unit_range {
	uint64_t start, end;
	uint32_t unit;
};

struct pp_unit_ranges {			/* zeroed: empty */
	struct pp_unit_range *items;	/* after sorting, ascending by start */
	size_t nr;
	uint32_t last;			/* index of the range found last */
};

#define PP_NO_UNIT	UINT32_MAX

/* -ENOMEM. */
int pp_unit_ranges_add(struct pp_unit_ranges *ranges, uint64_t start, uint64_t end, uint32_t unit);
/* Sort the ranges, after adding the last range and before the first look-up. */
void pp_unit_ranges_sort(struct pp_unit_ranges *ranges);
/* Return the unit of @vma, or PP_NO_UNIT. If several units have it, return the unit that begins
 * last. */
uint32_t pp_unit_ranges_find(struct pp_unit_ranges *ranges, uint64_t vma);
/* Accepts a zeroed struct. */
void pp_unit_ranges_release(struct pp_unit_ranges *ranges);

#endif
