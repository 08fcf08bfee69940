// SPDX-License-Identifier: GPL-2.0-or-later
/* slices.c -- division of a range of time into slices. */
#include "config.h"
#include "pp/session/slices.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* Return the shortest round length in seconds with which [0, @span) consists of fewer than @max
 * slices. */
static int64_t round_length(int64_t span, size_t max)
{
	static const int64_t lengths[] = {
		60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
		2 * 86400, 7 * 86400, 14 * 86400,
	};
	const size_t nr = sizeof(lengths) / sizeof(lengths[0]);
	const int64_t least = span / (int64_t)(max - 1) + 1, longest = lengths[nr - 1];

	for (size_t i = 0; i < nr; i++)
		if (lengths[i] >= least)
			return lengths[i];
	return (least + longest - 1) / longest * longest;
}

/* Return the start of the first slice: @begin, rounded down to a multiple of @length in local
 * time. */
static int64_t first_start(int64_t begin, int64_t length)
{
	time_t t = (time_t)begin;
	struct tm tm;
	int64_t offset = localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;

	return (begin + offset) / length * length - offset;
}

static int64_t last_end(const struct itv_range *range)
{
	int64_t end = range->parts[0].end;

	for (size_t i = 1; i < range->nr_parts; i++)
		end = range->parts[i].end > end ? range->parts[i].end : end;
	return end;
}

int pp_slices_make(struct op_period **ret, size_t *ret_nr, const struct itv_range *range,
		   size_t max)
{
	const struct itv_range_part *parts = range->parts;
	struct op_period *slices = calloc(range->nr_parts + 1, sizeof(*slices));
	int64_t length = 0, start = 0;
	size_t nr = 0;

	if (!slices)
		return -ENOMEM;
	if (range->nr_parts > max) {
		length = round_length(last_end(range) - parts[0].begin, max);
		start = first_start(parts[0].begin, length);
	}
	for (size_t i = 0; i < range->nr_parts; i++) {
		struct op_period *last = nr ? &slices[nr - 1] : NULL;
		/* An interval may begin before the end of the previous slice, because the clock may
		 * have been set back. */
		bool joins = last && (parts[i].begin < last->end ||
				      (length && (parts[i].begin - start) / length ==
							 (last->begin - start) / length));

		if (!joins)
			slices[nr++] = (struct op_period){ parts[i].begin, parts[i].end };
		else if (parts[i].end > last->end)
			last->end = parts[i].end;
	}
	*ret = slices;
	*ret_nr = nr;
	return 0;
}
