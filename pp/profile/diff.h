/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h -- a differential profile: two profiles of the same events side by side, function by
 * function.
 */
#ifndef PP_PROFILE_DIFF_H
#define PP_PROFILE_DIFF_H

#include "pp/profile/profile.h"

/* A function of a program; equal when name, binary and program are named alike. */
struct pp_diff_line {
	const struct pp_entry *first, *second;	/* NULL: not there, or below the threshold */
};

struct pp_diff {
	const struct pp_profile *first, *second;
	struct pp_diff_line *lines;	/* in the order asked for */
	size_t nr;
};

#endif
