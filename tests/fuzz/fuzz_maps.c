// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_maps.c -- fuzzes the parser of /proc/PID/maps, with reads of any size: strings of the
 * regions point into the text, and the result does not depend on the sizes of reads, which the
 * first byte selects.
 */
#include "config.h"

#include <string.h>

#include "libop/raw/regions.h"
#include "tests/fuzz/fuzz.h"

struct reading {
	const uint8_t *data;
	size_t size, at, step;
};

static long next(void *arg, void *buf, size_t len)
{
	struct reading *r = arg;
	size_t left = r->size - r->at, n = len < left ? len : left;

	n = r->step && r->step < n ? r->step : n;
	memcpy(buf, r->data + r->at, n);
	r->at += n;
	return (long)n;
}

struct sums {
	uint64_t regions, numbers, text;
};

static long each(void *arg, const struct raw_region *region)
{
	struct sums *sums = arg;

	sums->regions++;
	sums->numbers = sums->numbers * 31 + (region->start ^ region->end ^ region->offset ^ region->inode ^ region->major ^
					      region->minor);
	for (size_t i = 0; i < region->path_len; i++)
		sums->text = sums->text * 31 + (unsigned char)region->path[i];
	return 0;
}

static long walk(const uint8_t *data, size_t size, size_t step, struct sums *sums)
{
	struct reading r = { data, size, 0, step };
	char buf[RAW_REGIONS_BUF];

	return raw_regions_walk(buf, sizeof(buf), next, &r, each, sums);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sums whole = { 0 }, parts = { 0 };
	long err;

	if (!size)
		return 0;
	err = walk(data + 1, size - 1, 0, &whole);
	fuzz_require(walk(data + 1, size - 1, 1 + data[0], &parts) == err);
	fuzz_require(!memcmp(&whole, &parts, sizeof(whole)));
	return 0;
}
