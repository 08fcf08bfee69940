/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes.h -- a calling context tree that is being made. A node is found by its parent and place.
 *
 * The first children of a node are in a list, which is usually in the CPU's cache: most nodes have
 * few children, which are made soon after the node. Further children are in one hash table for all
 * nodes.
 */
#ifndef PP_PATHS_NODES_H
#define PP_PATHS_NODES_H

#include "pp/profile/paths.h"
#include "pp/profile/profile.h"
#include "pp/session/session.h"

struct pp_block;

struct pp_path_nodes {
	struct pp_paths *paths;
	struct pp_block **blocks;	/* memory of the nodes' counts */
	size_t nr_counts;		/* number of counts of each node */
	bool fold_recursion;
	/* hash table of node numbers, with open addressing; 0: empty */
	uint32_t *index;
	/* .size: size of the index, a power of two or 0; .nr_indexed: number of nodes in the
	 * index */
	size_t size, nr_indexed;
	uint32_t too_deep;		/* the place for the rest of a path that is too deep */
};

/* Create a tree with a root, and the place for the rest of paths that are too deep. Return 0 or
 * -ENOMEM. */
int pp_path_nodes_init(struct pp_path_nodes *nodes, struct pp_block **blocks, size_t nr_counts);
/* pp_path_nodes_finish() returns the tree, which the caller then owns. pp_path_nodes_release()
 * frees the tree. */
struct pp_paths *pp_path_nodes_finish(struct pp_path_nodes *nodes);
void pp_path_nodes_release(struct pp_path_nodes *nodes);

/* Add a place, and set *@ret to its number. Return 0 or -ENOMEM. */
int pp_path_place_add(struct pp_path_nodes *nodes, const struct pp_place *place, uint32_t *ret);
/* Find or make the node of @place below @parent. Return 0 or -ENOMEM. */
int pp_path_child(struct pp_path_nodes *nodes, uint32_t parent, uint32_t place, uint32_t *ret);
/* Return the node's counts, or NULL if out of memory. */
uint64_t *pp_path_counts(struct pp_path_nodes *nodes, uint32_t node);

/* The nodes of programs in a calling context tree, found by title. */

struct pp_path_programs {
	const char **titles;	/* titles of all trees and groups, in alphabetical order */
	uint32_t *nodes;	/* the node of each program, indexed as .titles; 0: not made yet */
	size_t nr;
};

/* Return 0 or -ENOMEM. */
int pp_path_programs_init(struct pp_path_programs *programs, const struct pp_profile *profile,
			  const struct pp_session *session);
/* @programs may be zeroed. */
void pp_path_programs_release(struct pp_path_programs *programs);
/* Return the index of a title, which must exist. */
size_t pp_path_program_index(const struct pp_path_programs *programs, const char *title);
/* Find or make the node of a program. Return 0 or -ENOMEM. */
int pp_path_program(struct pp_path_programs *programs, struct pp_path_nodes *nodes,
		    const char *title, uint32_t *ret);

#endif
