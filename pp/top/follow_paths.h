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

/* Start to read a tree of call paths repeatedly. If a tree with the same path was read before, the
 * daemon has only rewritten it to save space, so its samples are not new. Return 0, ODB_ERR_EMPTY
 * if the tree is empty and must be tried again later, or -ENOMEM. */
int pp_top_tree_add(struct pp_top_follow *f, const struct pp_sample_file *from, bool begin);
/* Collect the samples that were added to a tree since the last read, for pp_top_follow_paths().
 * With @begin, only record the current counts. Return 0 or -ENOMEM. */
int pp_top_tree_read(struct pp_top_follow *f, struct pp_top_tree *tree, bool begin);
/* Close all trees, the list of frames, and the descriptions of images. */
void pp_top_trees_close(struct pp_top_follow *f);

#endif
