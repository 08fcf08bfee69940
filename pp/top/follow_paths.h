/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow_paths.h -- reads new samples from trees of call paths. Only follow.c uses these functions.
 */
#ifndef PP_TOP_FOLLOW_PATHS_H
#define PP_TOP_FOLLOW_PATHS_H

#include <stdbool.h>

struct pp_sample_file;
struct pp_top_follow;
struct pp_top_tree;

/* Follow a tree. If a tree with the same path was followed before, the daemon has folded it, and
 * the samples are not new. Return 0, ODB_ERR_EMPTY if the tree must be tried again later, or
 * -ENOMEM. */
int pp_top_tree_add(struct pp_top_follow *f, const struct pp_sample_file *from, bool begin);
/* Store a tree's samples since the last read for pp_top_follow_paths() or, with @begin, only record
 * its sums. Return 0 or -ENOMEM. */
int pp_top_tree_read(struct pp_top_follow *f, struct pp_top_tree *tree, bool begin);
/* Close all trees, the file of frames, and the images. */
void pp_top_trees_close(struct pp_top_follow *f);

#endif
