/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_folding.h -- makes a tree of a session's call paths smaller, in steps, while it continues to
 * count.
 */
#ifndef OPD_TREE_FOLDING_H
#define OPD_TREE_FOLDING_H

#include <stdint.h>

#include "libdb/tree.h"

struct opd_session;
struct opd_tree_folding;

/* Begin to fold @from to half its size. @generation: of its frames. Return 0 or a negative error.
 */
int opd_tree_folding_begin(struct opd_tree_folding **ret, const struct opd_session *session,
			   const struct tree *from, uint64_t generation);
/* Fold some more nodes; all nodes of a small tree. Return 1 if there are more, 0 if the folding can
 * be ended, or a negative error. */
int opd_tree_folding_step(struct opd_tree_folding *f);
/* Replace the tree at @path, also on the disk, by the smaller tree. @f is freed, also after an
 * error. */
int opd_tree_folding_end(struct opd_tree_folding *f, const char *path, struct tree **ret);
/* Cancel the folding. @f may be NULL. */
void opd_tree_folding_cancel(struct opd_tree_folding *f);

#endif
