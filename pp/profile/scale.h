/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scale.h -- counts of events that took turns on the counters, brought to what they would have
 * been.
 */
#ifndef PP_PROFILE_SCALE_H
#define PP_PROFILE_SCALE_H

#include "pp/profile/profile.h"

/* Multiplies every count of a class that was counted only part of the time by enabled / running.
 * Not the apps, which are sums made later. */
void pp_profile_scale(struct pp_profile *profile, const struct pp_classes *classes);

#endif
