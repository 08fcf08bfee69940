// SPDX-License-Identifier: GPL-2.0-or-later
/* unit_ranges.c -- sorted ranges of addresses, with look-up. */
#include "config.h"
#include "pp/image/unit_ranges.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"

#define MAX_BACK	64	/* maximum of ranges that a look-up examines */

int pp_unit_ranges_add(struct pp_unit_ranges *ranges, uint64_t start, uint64_t end, uint32_t unit)
{
	if (op_grow(&ranges->items, ranges->nr))
		return -ENOMEM;
	ranges->items[ranges->nr++] = (struct pp_unit_range){ start, end, unit };
	return 0;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct pp_unit_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

void pp_unit_ranges_sort(struct pp_unit_ranges *ranges)
{
	if (ranges->nr)
		qsort(ranges->items, ranges->nr, sizeof(*ranges->items), compare_ranges);
}

static bool holds(const struct pp_unit_range *range, uint64_t vma)
{
	return vma >= range->start && vma < range->end;
}

uint32_t pp_unit_ranges_find(struct pp_unit_ranges *ranges, uint64_t vma)
{
	const struct pp_unit_range *items = ranges->items;
	size_t above, last = ranges->last;

	if (last < ranges->nr && holds(&items[last], vma) &&
	    (last + 1 == ranges->nr || items[last + 1].start > vma))
		return items[last].unit;
	above = op_partition_point(i, ranges->nr, items[i].start <= vma);
	for (size_t back = 0; above && back < MAX_BACK; above--, back++) {
		if (!holds(&items[above - 1], vma))
			continue;
		ranges->last = above - 1;
		return items[above - 1].unit;
	}
	return PP_NO_UNIT;
}

void pp_unit_ranges_release(struct pp_unit_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct pp_unit_ranges){ 0 };
}
