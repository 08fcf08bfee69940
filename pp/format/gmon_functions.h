/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gmon_functions.h -- the contents of gmon.out: a binary's functions as gprof knows them, with
 * their samples.
 */
#ifndef PP_FORMAT_GMON_FUNCTIONS_H
#define PP_FORMAT_GMON_FUNCTIONS_H

#include "pp/format/gmon.h"
#include "pp/profile/profile.h"

#define PP_GMON_MAX_NAMED	5	/* functions named that were left out */

struct pp_gmon_functions {
	/* The caller fills in the first six members. */
	const struct pp_profile *profile;	/* with details and arcs */
	struct pp_image *image;		/* image of the binary, with its samples begun */
	uint32_t binary;
	double threshold;		/* percent */
	size_t samples_class;		/* the profile's class that the histogram is of, */
	/* class of the arcs: calls, or samples_class if calls were not counted */
	size_t calls_class;
	struct pp_gmon_function *items;	/* by start */
	struct pp_gmon_sample *samples;
	struct pp_gmon_arc *arcs;
	size_t nr, nr_samples, nr_arcs;
	uint64_t left_out;		/* samples without a function for gprof */
	char *left_out_names;		/* names of the first functions left out */
	size_t nr_left_out;
};

/* -ENOMEM. */
int pp_gmon_functions_collect(struct pp_gmon_functions *functions);
/* Takes a zeroed struct. */
void pp_gmon_functions_release(struct pp_gmon_functions *functions);

#endif
