/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scale.h -- estimates of the full counts of events that took turns on the counters.
 */
#ifndef PP_PROFILE_SCALE_H
#define PP_PROFILE_SCALE_H

#include "pp/profile/profile.h"

/* Multiply each count of a class that was counted only part of the time by enabled / running.
 * The apps are not scaled, because they are summed later. */
void pp_profile_scale(struct pp_profile *profile, const struct pp_classes *classes);

#endif
