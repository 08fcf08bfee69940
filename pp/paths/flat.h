/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flat.h -- a tree of a profile without call paths: program, image, function. A program's own
 * file has no node, nor has a code that is a whole image.
 */
#ifndef PP_PATHS_FLAT_H
#define PP_PATHS_FLAT_H

#include "pp/profile/profile.h"

/* Make a finished tree; @blocks own its counts. Return 0 or -ENOMEM. */
int pp_paths_of_flat(struct pp_paths **ret, const struct pp_profile *profile,
		     struct pp_block **blocks);

#endif
