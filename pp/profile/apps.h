/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apps.h -- the image summary: groups by program.
 */
#ifndef PP_PROFILE_APPS_H
#define PP_PROFILE_APPS_H

#include "pp/profile/profile.h"

/* Fill in .apps from .groups, which own the counts; leave out groups without samples. Return 0
 * or -ENOMEM. */
int pp_apps_make(struct pp_profile *profile);

#endif
