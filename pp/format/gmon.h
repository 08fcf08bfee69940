/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gmon.h -- gmon.out, the file that gprof reads: version 1, histogram records of 2-byte bins, and
 * arcs.
 *
 * gprof halves the addresses of functions and bins, and counts a bin for the last function that
 * begins at or before it. So each sample goes into a bin that gprof counts for the sample's
 * function: its own bin or, if that bin also has the first byte of the next function, the previous
 * bin. A bin holds 16 bits. gprof sums records of the same range, so larger counts are written as
 * several records.
 */
#ifndef PP_FORMAT_GMON_H
#define PP_FORMAT_GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pp_gmon_sample {
	uint64_t vma, count;
};

struct pp_gmon_function {
	uint64_t start, end;	/* addresses: the first, and that after the last */
	int followed;		/* another function begins at .end */
	const struct pp_gmon_sample *samples;	/* in any order */
	size_t nr_samples;
};

struct pp_gmon_arc {
	uint64_t from, to;	/* an address in the caller, and the start of the callee */
	uint64_t count;
};

struct pp_gmon {
	int is64, big_endian;	/* of the binary */
	const struct pp_gmon_function *functions;	/* by start; they do not overlap */
	size_t nr_functions;
	const struct pp_gmon_arc *arcs;
	size_t nr_arcs;
};

/* Return whether the function is large enough for a bin of its own. pp_gmon_write() accepts no
 * other functions. */
bool pp_gmon_has_bin(const struct pp_gmon_function *function);

#define PP_GMON_MAX	INT32_MAX	/* samples in one bin that gprof can add up */

/* Return 0; -EOVERFLOW: one bin has more than PP_GMON_MAX samples; or -ENOMEM. The caller checks
 * ferror(). */
int pp_gmon_write(FILE *out, const struct pp_gmon *gmon);

/* Return whether gprof accepts the name as a function. It ignores local symbols with '.' or '$',
 * except gcc's .constprop and numbers. */
bool pp_gmon_knows(const char *name, int is_local);

#endif
