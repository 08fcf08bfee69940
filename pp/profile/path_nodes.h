/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_nodes.h -- a calling context tree while it is made: nodes are found by parent and place.
 *
 * Most nodes have few children, made soon after them: these are in a list, which is in the cache when it is asked. Only
 * what a node has beyond is in one index of all.
 */
#ifndef PP_PROFILE_PATH_NODES_H
#define PP_PROFILE_PATH_NODES_H

#include "pp/profile/paths.h"

struct pp_block;

struct pp_path_nodes {
	struct pp_paths *paths;
	struct pp_block **blocks;	/* counts are allocated there */
	size_t nr_counts;		/* how many counts each node has */
	bool fold_recursion;
	uint32_t *index;		/* open addressing: numbers of nodes; 0: none */
	size_t size, nr_indexed;	/* a power of two, or 0; of these are taken */
	uint32_t too_deep;		/* the place for the rest of a path that is too deep */
};

/* Begins with a root, and the place for paths that are too deep. -ENOMEM. */
int pp_path_nodes_init(struct pp_path_nodes *nodes, struct pp_block **blocks, size_t nr_counts);
/* finish() gives the tree to the caller, release() frees it. */
struct pp_paths *pp_path_nodes_finish(struct pp_path_nodes *nodes);
void pp_path_nodes_release(struct pp_path_nodes *nodes);

/* Adds a place. -ENOMEM. */
int pp_path_place_add(struct pp_path_nodes *nodes, const struct pp_place *place, uint32_t *ret);
/* Finds or makes the node of @place below @parent. -ENOMEM. */
int pp_path_child(struct pp_path_nodes *nodes, uint32_t parent, uint32_t place, uint32_t *ret);
/* Returns the node's counts. NULL: out of memory. */
uint64_t *pp_path_counts(struct pp_path_nodes *nodes, uint32_t node);

#endif
