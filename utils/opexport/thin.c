// SPDX-License-Identifier: GPL-2.0-or-later
/* thin.c -- drops rows without bias. */
#include "config.h"
#include "utils/opexport/thin.h"

#include <stdbool.h>

/* Return whether the expected number of rows with the limit @limit is more than @max. */
static bool is_too_many(const uint64_t *counts, size_t nr, size_t max, uint64_t limit)
{
	double expected = 0;

	for (size_t i = 0; i < nr; i++) {
		if (counts[i] >= limit)
			return expected + (double)(nr - i) > (double)max;
		expected += (double)counts[i] / (double)limit;
	}
	return expected > (double)max;
}

uint64_t export_thin_limit(const uint64_t *counts, size_t nr, size_t max)
{
	uint64_t low = 1, high = 1;

	if (!max || nr <= max)
		return 1;
	while (is_too_many(counts, nr, max, high) && high < UINT64_MAX / 2)
		high *= 2;
	/* the result is in (low, high] */
	low = high / 2;
	while (high - low > 1) {
		const uint64_t middle = low + (high - low) / 2;

		if (is_too_many(counts, nr, max, middle))
			low = middle;
		else
			high = middle;
	}
	return high;
}

uint64_t export_thin(uint64_t count, uint64_t limit, uint64_t random)
{
	if (count >= limit)
		return count;
	/* random % limit is below count with the probability count / limit: as the limit is far
	 * below 2^64, all remainders are almost equally likely */
	return random % limit < count ? limit : 0;
}
