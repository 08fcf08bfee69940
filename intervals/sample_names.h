/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_names.h -- the names of the sample files and trees to which the groups and trees of an
 * interval belong.
 */
#ifndef ITV_SAMPLE_NAMES_H
#define ITV_SAMPLE_NAMES_H

#include <stdint.h>

#include "intervals/interval.h"

/* Versions of the images that groups name. A zeroed struct is empty. */
struct itv_versions {
	/* for each image: the version number that op_version_suffix() adds to the names of its
	 * sample files; 0: no suffix */
	uint64_t *numbers;
	/* for each image: index of the first image with the same sample files, whose headers
	 * describe that image */
	uint32_t *first;
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
