/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_ranges.h -- which compilation unit has the code at an address.
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
	struct pp_unit_range *items;	/* by start, ascending, once they are sorted */
	size_t nr;
	uint32_t last;			/* found last, as an index */
};

#define PP_NO_UNIT	UINT32_MAX

/* -ENOMEM. */
int pp_unit_ranges_add(struct pp_unit_ranges *ranges, uint64_t start, uint64_t end, uint32_t unit);
/* After the last one, before the first question. */
void pp_unit_ranges_sort(struct pp_unit_ranges *ranges);
/* Return the unit that has @vma, of several the one that begins last; or PP_NO_UNIT. */
uint32_t pp_unit_ranges_find(struct pp_unit_ranges *ranges, uint64_t vma);
/* Takes a zeroed struct. */
void pp_unit_ranges_release(struct pp_unit_ranges *ranges);

#endif
