/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threshold.h -- removal of lines below the threshold.
 */
#ifndef PP_PROFILE_THRESHOLD_H
#define PP_PROFILE_THRESHOLD_H

#include <stdbool.h>

#include "pp/profile/profile.h"

/* Return whether @counts is at least @percent of @totals in any class. */
bool pp_reaches(const uint64_t *counts, const uint64_t *totals, size_t nr_classes, double percent);
/* Remove the apps, their dependents, the entries and the nodes of paths that do not reach
 * @percent. */
void pp_profile_threshold(struct pp_profile *profile, double percent);

#endif
