/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_folding.h -- folding of a tree of call paths: makes the tree smaller, in steps, while
 * samples are still counted in it.
 */
#ifndef OPD_TREE_FOLDING_H
#define OPD_TREE_FOLDING_H

#include <stdint.h>

#include "libdb/tree.h"

struct opd_session;
struct opd_tree_folding;

/* Begin to fold @from to half its size. @generation: the generation of its file of frames. Return 0
 * or a negative error. */
int opd_tree_folding_begin(struct opd_tree_folding **ret, const struct opd_session *session,
			   const struct tree *from, uint64_t generation);
/* Fold the next nodes; fold all nodes if the tree is small. Return 1 if there are more nodes, 0 if
 * opd_tree_folding_end() can be called, or a negative error. */
int opd_tree_folding_step(struct opd_tree_folding *f);
/* Replace the file of the tree at @path by the file of the smaller tree, and set *@ret to the
 * smaller tree. @f is freed, also after an error. Return 0 or a negative error. */
int opd_tree_folding_end(struct opd_tree_folding *f, const char *path, struct tree **ret);
/* Cancel the folding. @f may be NULL. */
void opd_tree_folding_cancel(struct opd_tree_folding *f);

#endif
