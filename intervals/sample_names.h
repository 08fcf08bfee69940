/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_names.h -- makes the names of sample files and trees for the groups and trees of an
 * interval.
 */
#ifndef ITV_SAMPLE_NAMES_H
#define ITV_SAMPLE_NAMES_H

#include <stdint.h>

#include "intervals/interval.h"

/* Versions, in the names of sample files, of the images that have samples. A zeroed struct is
 * empty. */
struct itv_versions {
	/* for each image: the version that op_version_suffix() adds to the names of its sample
	 * files; 0: no suffix */
	uint64_t *numbers;
	/* for each image: index of the first image that has the same sample files; the headers of
	 * these files describe the first image */
	uint32_t *first;
	uint64_t nr_compared;	/* number of comparisons that the choice needed; for tests */
};

/* Choose the versions of all images of @v, which must be sorted. Return 0 or -ENOMEM. The caller
 * releases the versions, also after an error. */
int itv_versions_init(struct itv_versions *ret, const struct itv *v);
void itv_versions_release(struct itv_versions *versions);

/* Set *@ret to the path of the group's sample file, relative to the samples directory, malloc'd.
 * Groups of different builds may have the same path. Return 0 or a negative errno. */
int itv_group_path(char **ret, const struct itv *v, const struct itv_group *group,
		   const struct itv_versions *versions);
/* Set *@ret to the path of the tree's file, malloc'd. Return 0 or a negative errno. */
int itv_tree_path(char **ret, const struct itv *v, const struct itv_tree *tree);

#endif
