/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_tree.h -- reader of untrusted .csp.live files. It finds the arenas of a file, and visits all
 * nodes of a tree.
 */
#ifndef LIBOP_RAW_LIVE_TREE_H
#define LIBOP_RAW_LIVE_TREE_H

#include "libop/raw/live.h"

/* The state of a walk, which visits all nodes of a tree in preorder. */
struct raw_live_walk {
	const struct raw_live_arena *arena;
	uint32_t node_size;
	/* number of nodes that may still be visited; limited because damaged references may form a
	 * cycle */
	uint64_t left;
};

/* Return the maximum number of objects of @size bytes that fit into the arena. */
uint64_t raw_live_room_for(const struct raw_live_arena *arena, uint32_t size);

/* Return the size of a node that has the metrics @columns. */
uint32_t raw_live_node_size(uint64_t columns);

/* Begin a walk through a tree. @nodes: maximum number of nodes to visit. */
void raw_live_walk_begin(struct raw_live_walk *w, const struct raw_live_arena *arena,
			 uint64_t columns, uint64_t nodes);

/* Return the node at the reference @ref, or NULL if the reference is invalid. */
struct raw_live_node *raw_live_walk_node(const struct raw_live_walk *w, uint32_t ref);

/* Advance *@node to the next node of the tree, in preorder. @root: root of the tree. Return 1, or 0
 * after the last node, or -EUCLEAN. */
int raw_live_walk_next(struct raw_live_walk *w, uint32_t root, uint32_t *node);

/*
 * Assign numbers from 0 on to the nodes of a tree, and update their heap metrics. Set *@nr to the
 * number of nodes, and @nr_flagged[] to the numbers of nodes with RAW_LIVE_INTERRUPTED and with
 * RAW_LIVE_SHORT. *@left: maximum number of nodes of this tree and the remaining trees of the
 * arena. Without this limit, a small file whose trees share nodes could become a large .csp file.
 * Nodes of damaged trees count as well, so that a damaged file does not take hours. Return 0, or
 * -EUCLEAN if the tree is damaged or has more nodes than *@left.
 */
int raw_live_number_tree(const struct raw_live_arena *arena, const struct raw_live_run *run,
			 const struct raw_live_tree *tree, uint64_t *left, uint64_t *nr,
			 uint64_t nr_flagged[2]);

/* Return the object of @size bytes at the reference @ref. The arena is untrusted: return NULL if
 * the object is not inside the arena. */
void *raw_live_get(const struct raw_live_arena *arena, uint32_t ref, uint64_t size);

struct raw_live {
	struct raw_live_arena *arenas;
	uint32_t nr_arenas;
	/* set by the caller: .arenas also contains the arenas in private memory, so samples that
	 * were counted there are not lost (NO_ROOM) */
	bool is_whole;
	/* set by the caller: the program has ended. If false, the program may still be counting; so
	 * if the file contains more samples than were taken, the reader increases the number of
	 * samples taken */
	bool has_ended;
};

/* Return the number of arenas in a .csp.live file, or -EUCLEAN if @file has another format. */
int raw_live_count(const void *file, uint64_t size);

/*
 * Find the arenas of the file that is mapped at @file. The functions write to the mapping, which
 * must be private. The caller must set live->nr_arenas to the result of raw_live_count(), and
 * allocate live->arenas with this number of elements. A truncated file contains only a part of the
 * arenas. Return 0 or -EUCLEAN.
 */
int raw_live_open(struct raw_live *live, void *file, uint64_t size);

/* Return the description of the run (in arena 0), or NULL if it is damaged. */
const struct raw_live_run *raw_live_run(const struct raw_live *live);

#endif
