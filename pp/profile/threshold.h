/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threshold.h -- which lines are too small to show.
 */
#ifndef PP_PROFILE_THRESHOLD_H
#define PP_PROFILE_THRESHOLD_H

#include <stdbool.h>

#include "pp/profile/profile.h"

/* Is @counts at least @percent of @totals in any class? */
bool pp_reaches(const uint64_t *counts, const uint64_t *totals, size_t nr_classes, double percent);
/* Drops the apps, their dependents, the entries and the nodes of paths that are not. */
void pp_profile_threshold(struct pp_profile *profile, double percent);

#endif
