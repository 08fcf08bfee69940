/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_folding.h -- a tree of a session's call paths becomes smaller, a little at a time, while it goes on counting.
 */
#ifndef OPD_TREE_FOLDING_H
#define OPD_TREE_FOLDING_H

#include <stdint.h>

#include "libdb/tree.h"

struct opd_session;
struct opd_tree_folding;

/* Begins to fold @from to half. @generation: of its frames. 0, or a negative error. */
int opd_tree_folding_begin(struct opd_tree_folding **ret, const struct opd_session *session, const struct tree *from,
			   uint64_t generation);
/* A few more nodes; of a small tree all. 1: there are more, 0: it can be ended; or a negative error. */
int opd_tree_folding_step(struct opd_tree_folding *f);
/* Puts the smaller tree in the place of the one at @path, on the disk as well. @f is gone, also after an error. */
int opd_tree_folding_end(struct opd_tree_folding *f, const char *path, struct tree **ret);
/* Gives it up. Takes NULL. */
void opd_tree_folding_cancel(struct opd_tree_folding *f);

#endif
