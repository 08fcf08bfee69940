/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arcs.h -- callers and callees, from call paths. A call that recursion repeats on a path
 * counts once. Inlined functions belong to the function that contains them.
 */
#ifndef PP_PATHS_ARCS_H
#define PP_PATHS_ARCS_H

#include "pp/profile/arcs.h"

/* Set the profile's arcs from its paths, which have totals, as pp_arcs_make() does. Return 0 or
 * -ENOMEM. */
int pp_path_arcs_make(struct pp_profile *profile, int libs_merged);

#endif
