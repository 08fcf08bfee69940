/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apps.h -- the image summary: groups again, this time by program.
 */
#ifndef PP_PROFILE_APPS_H
#define PP_PROFILE_APPS_H

#include "pp/profile/profile.h"

/* Fills .apps from .groups, which keep the counts; groups without samples are left out. 0 or -ENOMEM. */
int pp_apps_make(struct pp_profile *profile);

#endif
