/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regions.h -- where a process has code: the executable lines of /proc/PID/maps.
 *
 * The kernel sorts them by address. The caller gives the memory that lines are read through, so that it can be on a
 * signal handler's stack.
 */
#ifndef LIBOP_RAW_REGIONS_H
#define LIBOP_RAW_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#define RAW_REGIONS_BUF	4608	/* a line: a path as long as the kernel tells them, and what stands before */

struct raw_region {
	uint64_t start, end;
	uint64_t offset;	/* of @start in the file */
	uint64_t inode;		/* 0: no file */
	uint32_t major, minor;
	/* As the kernel tells it: "[vdso]", "/memfd:x (deleted)", "" for memory without a name; with \012 for the end of a
	 * line. Only during the call that hands it out. */
	const char *path;
	size_t path_len;
};

/* One executable region; not 0 ends the walk, and is its result. */
typedef long (*raw_region_fn)(void *arg, const struct raw_region *region);

/* Reads the next bytes, as read(2) does: 0 at the end, or negative errno. */
typedef long (*raw_next_fn)(void *arg, void *buf, size_t len);

/*
 * Walks over the regions of what @next reads, line by line through @buf of @len bytes, at least RAW_REGIONS_BUF.
 * 0, what @each returned, @next's negative errno, or -EINVAL at a line that is none of maps.
 */
long raw_regions_walk(char *buf, size_t len, raw_next_fn next, void *from, raw_region_fn each, void *arg);

#endif
