/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_tree.h -- untrusted .csp.live files: finding the arenas, and walking a tree.
 */
#ifndef LIBOP_RAW_LIVE_TREE_H
#define LIBOP_RAW_LIVE_TREE_H

#include "libop/raw/live.h"

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

/* Begin a walk through the tree. @nodes: maximum number of nodes. */
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

/* Return the object of @ref with @size bytes in an untrusted arena, or NULL if it is outside. */
void *raw_live_get(const struct raw_live_arena *arena, uint32_t ref, uint64_t size);

struct raw_live {
	struct raw_live_arena *arenas;
	uint32_t nr_arenas;
	/* set by the caller: .arenas includes the arenas that exist in memory only, so their
	 * samples do not count as lost for NO_ROOM */
	bool is_whole;
	/* set by the caller: the program has ended. Otherwise, the number of samples taken is
	 * raised to the number of samples found, because the program may still be counting. */
	bool has_ended;
};

/* Return the number of arenas in a file, or -EUCLEAN for another kind of file. */
int raw_live_count(const void *file, uint64_t size);

/*
 * Find the arenas of the file mapped at @file. The function writes to the mapping, which must be
 * private. The caller sets live->nr_arenas to the result of raw_live_count(), and provides
 * live->arenas of this size. A truncated file has only a part of the arenas. Return 0 or -EUCLEAN.
 */
int raw_live_open(struct raw_live *live, void *file, uint64_t size);

/* Return the description of the run, or NULL. */
const struct raw_live_run *raw_live_run(const struct raw_live *live);

#endif
