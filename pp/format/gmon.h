/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gmon.h -- gmon.out, the file that gprof reads: version 1, histogram records of 2-byte bins, and
 * arcs.
 *
 * gprof halves the addresses of functions and bins, and counts a bin for the last function that
 * begins at or before the bin. So each sample goes into a bin that gprof counts for the sample's
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

#include "pp/profile/profile.h"

struct pp_gmon_sample {
	uint64_t vma, count;
};

struct pp_gmon_function {
	/* .start: the first address; .end: the address behind the last byte */
	uint64_t start, end;
	bool followed;		/* another function begins at the address .end */
	const struct pp_gmon_sample *samples;	/* the function's samples, in any order */
	size_t nr_samples;
};

struct pp_gmon_arc {
	uint64_t from, to;	/* an address in the caller, and the start of the callee */
	uint64_t count;
};

struct pp_gmon {
	bool is64, big_endian;	/* properties of the binary */
	/* functions in ascending order of address, without overlaps */
	const struct pp_gmon_function *functions;
	size_t nr_functions;
	const struct pp_gmon_arc *arcs;
	size_t nr_arcs;
};

/* Return whether the function is large enough for a bin of its own. pp_gmon_write() accepts no
 * other functions. Declared for tests. */
bool pp_gmon_has_bin(const struct pp_gmon_function *function);

/* maximum number of samples in one bin that gprof can add up */
#define PP_GMON_MAX	INT32_MAX

/* Write gmon.out. Return 0, -EOVERFLOW if a bin has more than PP_GMON_MAX samples, or -ENOMEM. The
 * caller checks ferror() of @out. */
int pp_gmon_write(FILE *out, const struct pp_gmon *gmon);

/* Return whether gprof accepts @name as the name of a function. gprof ignores local symbols whose
 * names contain '.' or '$', except gcc's suffixes .constprop and numbers. */
bool pp_gmon_knows(const char *name, bool is_local);

/* The contents of gmon.out: the functions of a binary that gprof accepts, with their samples. */

/* maximum number of left-out functions whose names are stored */
#define PP_GMON_MAX_NAMED	5

struct pp_gmon_functions {
	/* The caller fills in the first six members. */
	const struct pp_profile *profile;	/* the profile; its entries have details and arcs */
	struct pp_image *image; /* image of the binary; the caller has called pp_image_begin() */
	uint32_t binary;
	double threshold;		/* minimum share of a function, in percent */
	/* index of the class of samples that the histogram counts */
	size_t samples_class;
	/* index of the class that the arcs count: calls, or .samples_class if calls were not
	 * counted */
	size_t calls_class;
	struct pp_gmon_function *items;	/* functions, in ascending order of address */
	struct pp_gmon_sample *samples;
	struct pp_gmon_arc *arcs;
	size_t nr, nr_samples, nr_arcs;
	/* number of samples of functions that gprof does not accept */
	uint64_t left_out;
	char *left_out_names;		/* names of the first functions that were left out */
	size_t nr_left_out;
};

/* Collect the binary's functions, samples and arcs. Return 0 or -ENOMEM. */
int pp_gmon_functions_collect(struct pp_gmon_functions *functions);
/* Release the functions. Accepts a zeroed struct. */
void pp_gmon_functions_release(struct pp_gmon_functions *functions);

#endif
