// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_source.c -- fuzzes the readers of profiles that programs write about themselves. In a
 * profile that can be opened, the sums of samples by address and by call path are equal.
 *
 * Input: first byte 0: the rest is a file, a .csp if it begins like one. Otherwise the rest are the
 * variable fields of a .pct file: its header up to the event, then for each region the numbers of
 * its record and 64 counters.
 */
#include "config.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libop/raw/pct.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/source_walk.h"

#define HEAD		offsetof(struct raw_pct_header, event)
#define RECORD		offsetof(struct raw_pct_region, path)
#define COUNTERS	64

static void put(int fd, const uint8_t *data, size_t size, off_t at)
{
	fuzz_require(pwrite(fd, data, size, at) == (ssize_t)size);
}

static void put_pct(int fd, const uint8_t *data, size_t size)
{
	size_t n = size < HEAD ? size : HEAD;
	off_t at = RAW_PCT_ALIGN;

	put(fd, data, n, 0);
	for (data += n, size -= n; size; at += RAW_PCT_ALIGN) {
		n = size < RECORD ? size : RECORD;
		put(fd, data, n, at);
		data += n;
		size -= n;
		n = size < COUNTERS ? size : COUNTERS;
		put(fd, data, n, at + sizeof(struct raw_pct_region));
		data += n;
		size -= n;
	}
	fuzz_require(!ftruncate(fd, at + RAW_PCT_ALIGN));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("source", 0);
	struct op_reason error = { "" };
	struct pp_source *source;
	char path[40];

	fuzz_require(fd >= 0);
	if (size && data[0])
		put_pct(fd, data + 1, size - 1);
	else if (size)
		put(fd, data + 1, size - 1, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!pp_source_open(&source, path, &error)) {
		fuzz_require(walk_source(source));
		pp_source_close(source);
	} else {
		fuzz_require(error.text[0]);
	}
	close(fd);
	return 0;
}
