/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gmon.h -- gmon.out, the file that gprof reads: version 1, with histogram records of 2-byte bins,
 * and arcs.
 *
 * gprof halves the addresses of functions and bins. It counts a bin for the last function that
 * begins at or before the bin. So each sample is put into a bin that gprof counts for the sample's
 * function: into its own bin, or into the previous one if its own bin also has the first byte of
 * the next function. A bin has 16 bits. gprof sums records of the same range, so larger counts are
 * written as several records.
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
	/* .start: first address of the function; .end: address after its last byte */
	uint64_t start, end;
	bool followed;		/* another function begins at .end, directly after this function */
	const struct pp_gmon_sample *samples;	/* samples of the function by address, unsorted */
	size_t nr_samples;
};

struct pp_gmon_arc {
	/* .from: an address in the calling function; .to: start of the called function */
	uint64_t from, to;
	uint64_t count;
};

struct pp_gmon {
	bool is64, big_endian;	/* word size and byte order of the binary */
	/* functions with samples, sorted by address, without overlaps */
	const struct pp_gmon_function *functions;
	size_t nr_functions;
	const struct pp_gmon_arc *arcs;
	size_t nr_arcs;
};

/* Return whether the function is large enough to have a 2-byte bin of its own. pp_gmon_write()
 * accepts only such functions. Public only for tests. */
bool pp_gmon_has_bin(const struct pp_gmon_function *function);

/* maximum number of samples of a bin that gprof can sum */
#define PP_GMON_MAX	INT32_MAX

/* Write gmon.out. Return 0, -EOVERFLOW if a bin has more than PP_GMON_MAX samples, or -ENOMEM. The
 * caller checks ferror() of @out. */
int pp_gmon_write(FILE *out, const struct pp_gmon *gmon);

/* Return whether gprof accepts @name as a function. gprof ignores local symbols with '.' or '$' in
 * the name, except gcc's suffixes .constprop and numbers. */
bool pp_gmon_knows(const char *name, bool is_local);

/* The contents of gmon.out: the functions of a binary that gprof accepts, and their samples. */

/* maximum number of ignored functions whose names are stored */
#define PP_GMON_MAX_NAMED	5

struct pp_gmon_functions {
	/* The caller of pp_gmon_functions_collect() sets the first six members. */
	/* the profile, made with sampled addresses and calls */
	const struct pp_profile *profile;
	struct pp_image *image; /* the binary's image, after pp_image_begin() */
	uint32_t binary;
	/* smallest share of the samples, in percent, of a function that is written */
	double threshold;
	/* index, in arrays of counts, of the class of samples for the histogram */
	size_t samples_class;
	/* index of the counts of calls in arrays of counts; .samples_class: calls were not
	 * counted */
	size_t calls_class;
	struct pp_gmon_function *items;	/* functions that gprof accepts, sorted by address */
	struct pp_gmon_sample *samples;
	struct pp_gmon_arc *arcs;
	size_t nr, nr_samples, nr_arcs;
	/* number of samples in functions that gprof does not accept */
	uint64_t left_out;
	/* names of the first PP_GMON_MAX_NAMED of the functions that gprof does not accept */
	char *left_out_names;
	size_t nr_left_out;
};

/* Collect the binary's functions, their samples, and the calls between them. Return 0 or
 * -ENOMEM. */
int pp_gmon_functions_collect(struct pp_gmon_functions *functions);
/* Free the contents of @functions, which may be zeroed. */
void pp_gmon_functions_release(struct pp_gmon_functions *functions);

#endif
