/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_arcs.h -- who called whom, from paths of calls: a call that is on a path more than once, by recursion, counts
 * once. Inlined functions are part of the one that they are in.
 */
#ifndef PP_PROFILE_PATH_ARCS_H
#define PP_PROFILE_PATH_ARCS_H

#include "pp/profile/arcs.h"

/* Of the profile's paths, which have totals: its arcs, as pp_arcs_make() makes them. -ENOMEM. */
int pp_path_arcs_make(struct pp_profile *profile, int libs_merged);

#endif
