/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_shares.h -- how much of the samples has a whole path of calls, and why the others have not.
 */
#ifndef PP_FORMAT_PATH_SHARES_H
#define PP_FORMAT_PATH_SHARES_H

#include <stdio.h>

#include "pp/profile/profile.h"

/* Samples whose paths are short for one reason, or (.reason NULL) whole. */
struct pp_path_share {
	const char *reason;
	uint64_t samples;	/* of all classes */
};

#define PP_PATH_MAX_SHARES	32	/* what is more is added up in the last */

/* Whole paths first, then by samples; returns how many. 0: the profile has no call paths. */
size_t pp_path_shares(struct pp_path_share shares[PP_PATH_MAX_SHARES], const struct pp_profile *profile);
/* "The whole path is known of 99.2000 % of 10000 samples; 0.5000 % table not loaded yet." Nothing without paths. */
void pp_path_shares_put(FILE *out, const struct pp_profile *profile);

#endif
