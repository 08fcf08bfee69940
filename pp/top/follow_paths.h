/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow_paths.h -- the trees of call paths of a session that a daemon is writing. Only follow.c
 * uses these functions.
 */
#ifndef PP_TOP_FOLLOW_PATHS_H
#define PP_TOP_FOLLOW_PATHS_H

#include <stdbool.h>

struct pp_sample_file;
struct pp_top_follow;
struct pp_top_tree;

/* Follow a tree. A tree whose path was followed before replaces a tree that the daemon has folded:
 * its samples are not new. Return 0, ODB_ERR_EMPTY if the tree must be tried again later, or
 * -ENOMEM. */
int pp_top_tree_add(struct pp_top_follow *f, const struct pp_sample_file *from, bool begin);
/* Note the samples of a tree since the last look for pp_top_follow_paths() or, with @begin, only
 * its sums. Return 0 or -ENOMEM. */
int pp_top_tree_read(struct pp_top_follow *f, struct pp_top_tree *tree, bool begin);
/* Close all trees, the frames and the images. */
void pp_top_trees_close(struct pp_top_follow *f);

#endif
