/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h -- one calling context tree of two profiles. Paths are equal if their functions and
 * binaries have equal names.
 */
#ifndef PP_PATHS_DIFF_H
#define PP_PATHS_DIFF_H

#include "pp/profile/profile.h"

/* Set the paths of @diff, whose codes are those of @first and then those of @second, if both
 * profiles have paths. Counts before are not scaled. Return 0 or -ENOMEM. */
int pp_path_diff_make(struct pp_profile *diff, const struct pp_profile *first,
		      const struct pp_profile *second);

#endif
