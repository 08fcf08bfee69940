/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_tree.h -- walking a tree of an untrusted .csp.live file.
 */
#ifndef LIBOP_RAW_LIVE_TREE_H
#define LIBOP_RAW_LIVE_TREE_H

#include "libop/raw/live.h"
#include "libop/raw/live_open.h"

/* The state of a walk through one tree in preorder. */
struct raw_live_walk {
	const struct raw_live_arena *arena;
	uint32_t node_size;
	uint64_t left;			/* remaining steps; a tree without a cycle needs no more */
};

/* Return the maximum number of objects of @size bytes in an arena. */
uint64_t raw_live_room_for(const struct raw_live_arena *arena, uint32_t size);

/* Return the size of a node with the metrics in @columns. */
uint32_t raw_live_node_size(uint64_t columns);

/* Begin a walk. @nodes: maximum number of nodes. */
void raw_live_walk_begin(struct raw_live_walk *w, const struct raw_live_arena *arena,
			 uint64_t columns, uint64_t nodes);

/* Return the node of @ref, or NULL if it is invalid. */
struct raw_live_node *raw_live_walk_node(const struct raw_live_walk *w, uint32_t ref);

/* Advance *@node to the next node of @root's tree in preorder. Return 1, 0 at the end, or
 * -EUCLEAN. */
int raw_live_walk_next(struct raw_live_walk *w, uint32_t root, uint32_t *node);

/*
 * Number the nodes of one of an arena's trees from 0, count them (@nr) and those with
 * RAW_LIVE_INTERRUPTED and RAW_LIVE_SHORT (@nr_flagged), and update their heap metrics. *@left is
 * the number of nodes that all trees of the arena may have: without this limit a small file with
 * shared nodes could become a large one. Nodes of damaged trees count, too, so that a damaged file
 * does not take hours. Return 0, or -EUCLEAN if the tree is damaged or has more nodes than *@left.
 */
int raw_live_number_tree(const struct raw_live_arena *arena, const struct raw_live_run *run,
			 const struct raw_live_tree *tree, uint64_t *left, uint64_t *nr,
			 uint64_t nr_flagged[2]);

#endif
