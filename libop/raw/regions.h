/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regions.h -- parser of the executable regions in /proc/PID/maps.
 *
 * The kernel sorts the lines by address. The caller provides the buffer, which may be on the stack
 * of a signal handler.
 */
#ifndef LIBOP_RAW_REGIONS_H
#define LIBOP_RAW_REGIONS_H

#include <stddef.h>
#include <stdint.h>

/* Size of the buffer of raw_regions_walk(): a line with the longest path that the kernel
 * supports. */
#define RAW_REGIONS_BUF	4608

struct raw_region {
	uint64_t start, end;
	uint64_t offset;	/* offset of .start in the mapped file */
	uint64_t inode;		/* inode of the mapped file; 0: anonymous memory */
	uint32_t major, minor;
	/* The name in /proc/PID/maps: "[vdso]", "/memfd:x (deleted)", "" for memory without a name;
	 * "\012" stands for a newline. Valid only during the call of raw_region_fn. */
	const char *path;
	size_t path_len;
};

/* Called for each executable region. A nonzero result ends raw_regions_walk(), which returns it. */
typedef long (*raw_region_fn)(void *arg, const struct raw_region *region);

/* Read the next bytes of the text. Return the number of bytes, 0 at the end, or a negative
 * errno. */
typedef long (*raw_next_fn)(void *arg, void *buf, size_t len);

/*
 * Call @each for each executable region of the text that @next reads. @buf has @len bytes, at least
 * RAW_REGIONS_BUF. Return 0, the nonzero result of @each, the negative errno of @next, or -EINVAL
 * for an invalid line.
 */
long raw_regions_walk(char *buf, size_t len, raw_next_fn next, void *from, raw_region_fn each,
		      void *arg);

#endif
