/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * short_titles.h -- the last part of a path is how people call a program or library, as long as no other
 * has the same one: then it is as many parts as tell them apart.
 */
#ifndef PP_PROFILE_SHORT_TITLES_H
#define PP_PROFILE_SHORT_TITLES_H

#include "pp/profile/profile.h"

/* A title that needs more than its last part. */
struct pp_short_title {
	const char *title;
	const char *shown;	/* inside of .title */
};

/* The last part of a path, or all of what is not a path. */
const char *pp_short_name(const char *title);

/* Looks at the binaries and apps of a profile, which are complete. 0 or -ENOMEM. */
int pp_short_titles_find(struct pp_profile *profile);
/* What to show of the title of a binary or an app; some of its end. */
const char *pp_short_title(const struct pp_profile *profile, const char *title);

#endif
