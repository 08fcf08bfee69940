/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_flat.h -- a profile without call paths as a tree: program, image, function. A program's own file is no node of
 * its own, nor is a function that stands for a whole image.
 */
#ifndef PP_PROFILE_PATH_FLAT_H
#define PP_PROFILE_PATH_FLAT_H

#include "pp/profile/profile.h"

/* With totals and order; counts are in @blocks. -ENOMEM. */
int pp_paths_of_flat(struct pp_paths **ret, const struct pp_profile *profile, struct pp_block **blocks);

#endif
