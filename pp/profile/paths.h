/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h -- the calling context tree of a profile, with the samples of each call path. Below the
 * root are the programs. Below a program are the outermost functions of complete call paths, and
 * one node for each reason why other paths are incomplete; the known part of an incomplete path is
 * below the node of its reason. Apart from these nodes, a node's parent is the recorded caller.
 *
 * A node's number is larger than its parent's. In each class, the sum of all nodes equals the sum
 * of the flat profile. A node with samples is the sampled function, or a reason such as
 * PP_PLACE_FOLDED.
 */
#ifndef PP_PROFILE_PATHS_H
#define PP_PROFILE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_block;
struct pp_profile;

enum pp_place_kind {
	PP_PLACE_ROOT,
	PP_PLACE_PROGRAM,
	/* kind of place: a binary; occurs only in a tree without call paths */
	PP_PLACE_IMAGE,
	PP_PLACE_CODE,		/* kind of place: a function, or code without a symbol */
	/* kind of place: a function that was inlined into another one; occurs only with source
	 * lines */
	PP_PLACE_INLINED,
	/* The following kinds are reasons why a path is unknown or incomplete. */
	/* kind of place: the reason (.name) why the caller of the outermost known frame is unknown
	 */
	PP_PLACE_SHORT,
	/* kind of place: rare paths that the daemon has summed to save space */
	PP_PLACE_FOLDED,
	/* kind of place: the path was lost by a power cut, or its file is damaged */
	PP_PLACE_LOST,
	/* kind of place: the session's list of frames lacks a frame of the path */
	PP_PLACE_UNKNOWN,
	/* kind of place: the frames of a path that are beyond the limit PP_PATH_MAX_DEPTH */
	PP_PLACE_TOO_DEEP,
	/* kind of place: samples of the flat profile that were taken without a path */
	PP_PLACE_NO_PATH,
};

/* The function (or program, binary, or reason) of nodes. All nodes of one function share one
 * place. */
struct pp_place {
	/* PROGRAM, IMAGE: the title; INLINED: the name in reports; SHORT: the reason; else NULL */
	const char *name;
	const char *raw;	/* kind INLINED: the linker's name, as in struct pp_code */
	/* CODE, INLINED: the line of the call to the function below; NULL: unknown or not
	 * requested */
	const char *file;
	uint32_t line;
	/* kinds CODE and INLINED: index of the code; otherwise PP_NO_CODE */
	uint32_t code;
	uint32_t binary;	/* kind IMAGE: index of the binary */
	uint8_t kind;		/* kind of the place, enum pp_place_kind */
	bool is_kernel;
	/* an option excludes the function of the place, and all samples in it */
	bool unwanted;
	/* CODE: code without a symbol. Calls within such code are unknown, so adjacent frames in it
	 * are one node */
	bool nameless;
};

#define PP_PATH_ROOT		0u
#define PP_PATH_MAX_DEPTH	2048

struct pp_path_node {
	/* samples of paths that end at the node, by class; NULL: no path ends there */
	uint64_t *self;
	uint64_t *total;	/* the sum of .self of the node and of all nodes below it */
	uint32_t parent, place;	/* indices of the parent node and the node's place */
	/* The node's children are pp_paths.children[first] to [first + nr - 1]. While the tree is
	 * made, .first is the first child in a list, and .nr the number of children. */
	uint32_t first, nr;
	uint32_t next;		/* next child in the parent's list; 0: this is the last child */
	uint16_t depth;		/* 1 for programs, 2 for nodes below programs, and so on */
	bool by_pointer;	/* the frame was found by a frame pointer */
};

struct pp_paths {
	struct pp_place *places;
	size_t nr_places;
	struct pp_path_node *nodes;	/* nodes; the root is the first */
	size_t nr_nodes;
	/* children of all nodes; of a node's children, the one with the most samples is first */
	uint32_t *children;
	size_t nr_damaged;	/* number of damaged trees and nodes, which were left out */
};

/* @paths may be NULL. */
void pp_paths_free(struct pp_paths *paths);

/* Compute totals, which @blocks own, and order children. Return 0 or -ENOMEM. */
int pp_paths_finish(struct pp_paths *paths, const struct pp_profile *profile,
		    struct pp_block **blocks);

/* A walk through all nodes except the root, parents first, and children with the most samples
 * first. */
struct pp_path_walk {
	const struct pp_paths *paths;
	size_t depth;			/* depth of the current node; 1: the node is a program */
	/* the path to the current node: [1] is the program, [depth] the current node */
	uint32_t nodes[PP_PATH_MAX_DEPTH + 3];
	/* the next child to visit, for each node of the path */
	uint32_t next[PP_PATH_MAX_DEPTH + 3];
};

void pp_path_walk_begin(struct pp_path_walk *walk, const struct pp_paths *paths);
bool pp_path_walk_next(struct pp_path_walk *walk);
/* Skip the nodes below the current node. */
void pp_path_walk_skip(struct pp_path_walk *walk);

/* Return the word for a place of this kind in reports, such as "[no path]"; NULL: such places have
 * names. */
const char *pp_place_word(enum pp_place_kind kind);

/* Return whether the place is a reason why a path is unknown or incomplete. */
static inline bool pp_place_is_reason(const struct pp_place *place)
{
	return place->kind >= PP_PLACE_SHORT;
}

static inline const struct pp_place *pp_path_place(const struct pp_paths *paths, uint32_t node)
{
	return &paths->places[paths->nodes[node].place];
}

#endif
