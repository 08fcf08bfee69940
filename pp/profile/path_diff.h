/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_diff.h -- the calling context trees of two profiles as one: a path is the same where its functions, and the
 * binaries these are in, are named alike.
 */
#ifndef PP_PROFILE_PATH_DIFF_H
#define PP_PROFILE_PATH_DIFF_H

#include "pp/profile/profile.h"

/* Sets the paths of @diff, whose codes are those of @first and then those of @second; none when one of them has none.
 * Counts before are not brought to any totals. -ENOMEM. */
int pp_path_diff_make(struct pp_profile *diff, const struct pp_profile *first, const struct pp_profile *second);

#endif
