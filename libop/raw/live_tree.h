/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_tree.h -- .csp.live files: the nodes of a tree, each once, whatever the file says.
 */
#ifndef LIBOP_RAW_LIVE_TREE_H
#define LIBOP_RAW_LIVE_TREE_H

#include "libop/raw/live.h"
#include "libop/raw/live_open.h"

/* One tree being gone through, parents first; of the one who walks. */
struct raw_live_walk {
	const struct raw_live_arena *arena;
	uint32_t node_size;
	uint64_t left;			/* steps that a tree without a circle can need */
};

/* How many objects of @size bytes an arena can have. */
uint64_t raw_live_room_for(const struct raw_live_arena *arena, uint32_t size);

/* Bytes of a node that counts @columns. */
uint32_t raw_live_node_size(uint64_t columns);

/* @nodes: how many there can be. */
void raw_live_walk_begin(struct raw_live_walk *w, const struct raw_live_arena *arena, uint64_t columns, uint64_t nodes);

/* What @ref is as a node of the tree. NULL: there is no such. */
struct raw_live_node *raw_live_walk_node(const struct raw_live_walk *w, uint32_t ref);

/* The node behind @node in the tree of @root, in preorder. 1; 0: there is none; -EUCLEAN. */
int raw_live_walk_next(struct raw_live_walk *w, uint32_t root, uint32_t *node);

/*
 * Numbers the nodes of one of an arena's trees from 0 and counts them (@nr), and those that are RAW_LIVE_INTERRUPTED and
 * RAW_LIVE_SHORT (@nr_flagged); brings their heap metrics up to date. The arena's trees have *@left nodes in all: a node is in one
 * tree, or a small file could become a large one. What was gone through of a tree that is none counts as well: or it could take
 * hours. 0; -EUCLEAN: it is no tree, or has more nodes than are left.
 */
int raw_live_number_tree(const struct raw_live_arena *arena, const struct raw_live_run *run, const struct raw_live_tree *tree,
			 uint64_t *left, uint64_t *nr, uint64_t nr_flagged[2]);

#endif
