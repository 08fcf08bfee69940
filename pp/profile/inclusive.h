/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inclusive.h -- the samples of each function together with those of the functions it called.
 */
#ifndef PP_PROFILE_INCLUSIVE_H
#define PP_PROFILE_INCLUSIVE_H

#include "pp/profile/profile.h"

/*
 * Give each entry its total (pp_entry_total()): the samples whose call path has the function, once for each path. Add an
 * entry for each function that is only a caller. Samples without a path count for the function that they fell into.
 * @profile has paths, finished. @libs_merged: as of the session. -ENOMEM.
 */
int pp_inclusive_make(struct pp_profile *profile, int libs_merged);

#endif
