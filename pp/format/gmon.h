/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gmon.h -- gmon.out, the file gprof reads: version 1, histogram records of 2-byte bins, and arcs.
 *
 * gprof knows no byte addresses: it halves those of functions and of bins, and everything
 * in a bin is the function's that begins last at or before it. So each sample goes into a bin that
 * gprof counts for the function the sample is in: its own, or, where that one is shared with the
 * next function's first byte, the one before. A bin holds 16 bits and is never capped: gprof adds up
 * records of the same range, so as many are written as it takes.
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
	uint64_t start, end;	/* addresses: the first, and the one behind the last */
	int followed;		/* another function begins at .end */
	const struct pp_gmon_sample *samples;	/* in any order */
	size_t nr_samples;
};

struct pp_gmon_arc {
	uint64_t from, to;	/* in the calling function; where the called one begins */
	uint64_t count;
};

struct pp_gmon {
	int is64, big_endian;	/* of the binary */
	const struct pp_gmon_function *functions;	/* by start; they do not overlap */
	size_t nr_functions;
	const struct pp_gmon_arc *arcs;
	size_t nr_arcs;
};

/* Functions too small to have a bin of their own; pp_gmon_write() wants none of them. */
bool pp_gmon_has_bin(const struct pp_gmon_function *function);

#define PP_GMON_MAX	INT32_MAX	/* samples in one bin that gprof can add up */

/* -EOVERFLOW: more than PP_GMON_MAX samples in one bin; -ENOMEM. Otherwise ferror() tells. */
int pp_gmon_write(FILE *out, const struct pp_gmon *gmon);

/* Is this the name of a function in gprof's eyes? It leaves out local symbols with a '.' or '$',
 * but for gcc's .constprop and numbers. */
bool pp_gmon_knows(const char *name, int is_local);

#endif
