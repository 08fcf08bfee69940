/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_shares.h -- how much of the samples has a whole path of calls, and why the others have not.
 */
#ifndef PP_FORMAT_PATH_SHARES_H
#define PP_FORMAT_PATH_SHARES_H

#include <stdio.h>

#include "pp/profile/profile.h"

/* "The whole path is known of 99.2000 % of 10000 samples; 0.5000 % table not loaded yet." @unit: what the first class
 * counts, pp_class_unit(). Nothing without paths. */
void pp_path_shares_put(FILE *out, const struct pp_profile *profile, const char *unit);

#endif
