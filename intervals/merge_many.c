// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_many.c -- adds many intervals, using partial sums of similar sizes. */
#include "config.h"
#include "intervals/merge.h"

/* Merge the last partial sum into the partial sum before it. */
static int join_last(struct itv_merges *merges)
{
	unsigned int last = merges->nr - 1;
	int err = itv_merge(&merges->sums[last - 1], &merges->sums[last], merges->gap_reason);

	if (err)
		return err;
	itv_release(&merges->sums[last]);
	merges->sums[last] = (struct itv){ .nr_images = 0 };
	merges->nr_parts[last - 1] += merges->nr_parts[last];
	merges->nr--;
	return 0;
}

int itv_merges_add(struct itv_merges *merges, struct itv *part)
{
	int err = 0;

	/* Merge partial sums until each one has at least twice as many parts as the next one, so
	 * that 32 partial sums suffice. */
	while (merges->nr > 1 && !err &&
	       merges->nr_parts[merges->nr - 2] <= merges->nr_parts[merges->nr - 1])
		err = join_last(merges);
	if (err)
		return err;
	merges->sums[merges->nr] = *part;
	merges->nr_parts[merges->nr++] = 1;
	*part = (struct itv){ .nr_images = 0 };
	return 0;
}

int itv_merges_end(struct itv_merges *merges, struct itv *ret)
{
	int err = 0;

	while (merges->nr > 1 && !err)
		err = join_last(merges);
	if (err || !merges->nr)
		return err;
	*ret = merges->sums[0];
	merges->nr = 0;
	return 0;
}

void itv_merges_release(struct itv_merges *merges)
{
	while (merges->nr)
		itv_release(&merges->sums[--merges->nr]);
}
