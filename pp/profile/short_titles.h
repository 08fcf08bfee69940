/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * short_titles.h -- short names of programs and libraries: the last component of the path, or as
 * many components as make the name unique.
 */
#ifndef PP_PROFILE_SHORT_TITLES_H
#define PP_PROFILE_SHORT_TITLES_H

#include "pp/profile/profile.h"

/* A title whose last component is ambiguous, and its short form. */
struct pp_short_title {
	const char *title;
	const char *shown;	/* short form of the title, a suffix of .title */
};

/* Return the last component of a path, or @title itself if it is not a path. */
const char *pp_short_name(const char *title);

/* Find short titles of the profile's binaries and programs. Call this after both are complete.
 * Return 0 or -ENOMEM. */
int pp_short_titles_find(struct pp_profile *profile);
/* Return the short form of the title of a binary or program. */
const char *pp_short_title(const struct pp_profile *profile, const char *title);

#endif
