/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inclusive.h -- samples of each function including the functions that it called.
 */
#ifndef PP_PROFILE_INCLUSIVE_H
#define PP_PROFILE_INCLUSIVE_H

#include "pp/profile/profile.h"

/*
 * Give each entry a total (pp_entry_total()): the samples whose call path contains the function. A
 * sample counts once, however often its path contains the function. Add an entry for each function
 * that only calls others. Samples without a path count for their own function. The profile's paths
 * must have totals (pp_paths_finish()). @libs_merged: pp_session.libs_merged. Return 0 or -ENOMEM.
 */
int pp_inclusive_make(struct pp_profile *profile, bool libs_merged);

#endif
