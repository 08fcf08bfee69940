// SPDX-License-Identifier: GPL-2.0-or-later
/* points.c -- sums of samples by entry and address. */
#include "config.h"
#include "pp/profile/points.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "pp/base/block.h"

int pp_points_add(struct pp_points *points, const struct pp_point *point)
{
	if (op_grow(&points->items, points->nr))
		return -ENOMEM;
	points->items[points->nr++] = *point;
	return 0;
}

static int compare_points(const void *a, const void *b)
{
	const struct pp_point *x = a, *y = b;

	if (x->entry != y->entry)
		return x->entry < y->entry ? -1 : 1;
	return x->vma < y->vma ? -1 : x->vma > y->vma;
}

/* Make the details of one entry from its points, which are sorted by address. */
static int settle_entry(struct pp_part *part, const struct pp_point *points, size_t nr,
			size_t nr_classes)
{
	struct pp_detail *detail = NULL;
	struct pp_details *details;
	size_t nr_details = 0;

	if (op_grow(&part->details, part->nr_details))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		nr_details += !i || points[i].vma != points[i - 1].vma;
	details = &part->details[part->nr_details];
	*details = (struct pp_details){
		.items = (struct pp_detail *)pp_block_alloc(
			&part->blocks, nr_details * sizeof(*detail) / sizeof(uint64_t)),
	};
	if (!details->items)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (!i || points[i].vma != points[i - 1].vma) {
			detail = &details->items[details->nr++];
			detail->vma = points[i].vma;
			detail->counts = pp_block_alloc(&part->blocks, nr_classes);
			if (!detail->counts)
				return -ENOMEM;
		}
		detail->counts[points[i].class] += points[i].count;
	}
	part->entries[points->entry].details = ++part->nr_details;
	return 0;
}

int pp_points_settle(struct pp_points *points, struct pp_part *part, size_t nr_classes)
{
	struct pp_point *items = points->items;
	size_t nr = points->nr;
	int err = 0;

	if (nr)
		qsort(items, nr, sizeof(*items), compare_points);
	for (size_t i = 0, j; i < nr && !err; i = j) {
		for (j = i + 1; j < nr && items[j].entry == items[i].entry; j++)
			;
		err = settle_entry(part, &items[i], j - i, nr_classes);
	}
	points->nr = 0;
	return err;
}

void pp_points_release(struct pp_points *points)
{
	free(points->items);
}
