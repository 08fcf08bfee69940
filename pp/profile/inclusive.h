/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inclusive.h -- inclusive totals: the samples of each function and of the functions that it
 * called.
 */
#ifndef PP_PROFILE_INCLUSIVE_H
#define PP_PROFILE_INCLUSIVE_H

#include "pp/profile/profile.h"

/*
 * Compute the inclusive total of each entry (pp_entry_total()): the samples whose call path
 * contains the function. A recursive function counts a sample only once. Add an entry for each
 * function without samples of its own. Samples without a path count for their own function. Call
 * pp_paths_finish() before. @libs_merged: pp_session.libs_merged. Return 0 or -ENOMEM.
 */
int pp_inclusive_make(struct pp_profile *profile, bool libs_merged);

#endif
