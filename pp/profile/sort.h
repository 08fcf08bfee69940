/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sort.h -- sorting of a profile's lines, and removal of lines below a threshold.
 */
#ifndef PP_PROFILE_SORT_H
#define PP_PROFILE_SORT_H

#include <stdbool.h>

#include "pp/profile/profile.h"

enum pp_sort_key {
	PP_SORT_SAMPLE,		/* order by number of samples, largest first */
	PP_SORT_IMAGE,
	PP_SORT_APP,
	PP_SORT_SYMBOL,
	PP_SORT_DEBUG,		/* order by source file and line */
	PP_SORT_VMA,
	/* order by inclusive total, largest first; without inclusive totals, this sort key has no
	 * effect */
	PP_SORT_INCLUSIVE,
	PP_NR_SORT_KEYS,
};

struct pp_order {
	/* all sort keys: first the requested keys, then the others */
	enum pp_sort_key keys[PP_NR_SORT_KEYS];
	bool reverse;
	bool long_filenames;	/* compare full titles, as the report shows them */
};

/* Parse a list of sort keys such as "image,sample". @keys may be NULL for the default order. Return
 * 0, or -EINVAL for an unknown word, whose address is stored in *@bad. */
int pp_order_parse(struct pp_order *ret, const char *keys, const char **bad);

/* Sort the programs, their binaries, and the symbol list of a profile in place. Return 0 or
 * -ENOMEM. */
int pp_profile_sort(struct pp_profile *profile, const struct pp_order *order);

/* Removal of lines below the threshold. */

/* Return whether, in at least one class of samples, the count in @counts is at least @percent of
 * the count in @totals. */
bool pp_reaches(const uint64_t *counts, const uint64_t *totals, size_t nr_classes, double percent);
/* Remove the programs, binaries, functions and nodes of call paths that have less than @percent of
 * all samples. */
void pp_profile_threshold(struct pp_profile *profile, double percent);

#endif
