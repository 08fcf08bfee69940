/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes.h -- a calling context tree that is being built. Its nodes are found by parent and place.
 *
 * The first children of a node form a list, which is usually in the CPU's cache: most nodes have
 * few children, which are added soon after the node. Further children are in one hash table for all
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
	size_t nr_counts;		/* length of each node's array of counts */
	bool fold_recursion;
	/* hash table of node numbers, with open addressing; 0: free slot */
	uint32_t *index;
	/* .size: number of hash slots, a power of two or 0; .nr_indexed: number of nodes in the
	 * hash table */
	size_t size, nr_indexed;
	/* number of the place (element that nodes refer to) for the cut part of a path that exceeds
	 * PP_PATH_MAX_DEPTH */
	uint32_t too_deep;
};

/* Create a tree with a root, and a place (element that nodes refer to) for paths that are too deep.
 * Return 0 or -ENOMEM. */
int pp_path_nodes_init(struct pp_path_nodes *nodes, struct pp_block **blocks, size_t nr_counts);
/* Return the finished tree, which the caller frees with pp_paths_free(). */
struct pp_paths *pp_path_nodes_finish(struct pp_path_nodes *nodes);
/* Free a tree that was not finished. */
void pp_path_nodes_release(struct pp_path_nodes *nodes);

/* Add a place (a function, program or the like), and store its number in *@ret. Return 0 or
 * -ENOMEM. */
int pp_path_place_add(struct pp_path_nodes *nodes, const struct pp_place *place, uint32_t *ret);
/* Find or add the child of @parent that refers to @place, a function for example, and store its
 * number in *@ret. Return 0 or -ENOMEM. */
int pp_path_child(struct pp_path_nodes *nodes, uint32_t parent, uint32_t place, uint32_t *ret);
/* Return the array of counts of @node, or NULL if out of memory. The first call for a node
 * allocates a zeroed array. */
uint64_t *pp_path_counts(struct pp_path_nodes *nodes, uint32_t node);

/* The nodes of programs in a calling context tree, by title. */

struct pp_path_programs {
	/* titles of the programs in trees of call paths and in the profile, in alphabetical
	 * order */
	const char **titles;
	/* for each title: the number of the program's node; 0: no node yet */
	uint32_t *nodes;
	size_t nr;
};

/* Collect the titles of all programs in the profile and in its trees. Return 0 or -ENOMEM. */
int pp_path_programs_init(struct pp_path_programs *programs, const struct pp_profile *profile,
			  const struct pp_session *session);
/* Free the contents of @programs, which may be zeroed. */
void pp_path_programs_release(struct pp_path_programs *programs);
/* Return the index of a program in .titles, which must contain @title. */
size_t pp_path_program_index(const struct pp_path_programs *programs, const char *title);
/* Find or add the node of a program, and store its number in *@ret. Return 0 or -ENOMEM. */
int pp_path_program(struct pp_path_programs *programs, struct pp_path_nodes *nodes,
		    const char *title, uint32_t *ret);

#endif
