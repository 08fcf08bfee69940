/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h -- the calling context tree of a profile: how often each path of functions was taken, whatever it was read
 * from. Below the root are the programs; below a program the outermost functions of its whole paths, and what tells why
 * other paths are short, with what is known of those below it. Nothing is hung below a caller that was not seen.
 *
 * A node's number is above its parent's. The sum of all nodes is that of the flat profile, class by class, and a node
 * that has samples is the function that they fell into; but for PP_PLACE_FOLDED and the like.
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
	PP_PLACE_IMAGE,		/* a binary; only where no paths are known */
	PP_PLACE_CODE,		/* a function, or what stands for one */
	/* a function that was inlined into another one; only with source lines */
	PP_PLACE_INLINED,
	/* The kinds from here on tell why a path, or the rest of it, is not known. */
	PP_PLACE_SHORT,		/* its stack could not be walked further out; .name says why */
	PP_PLACE_FOLDED,	/* rare paths that were put together to save room */
	PP_PLACE_LOST,		/* a power cut has taken the path, or the file is damaged */
	PP_PLACE_UNKNOWN,	/* a frame that the session's list of frames does not have */
	PP_PLACE_TOO_DEEP,	/* the path has more than PP_PATH_MAX_DEPTH places */
	PP_PLACE_NO_PATH,	/* samples of the flat profile that came without a path */
};

/* What a node stands for; the same for all nodes of one function. */
struct pp_place {
	/* PROGRAM, IMAGE: title; INLINED: as reports show it; SHORT: the reason; else NULL */
	const char *name;
	const char *raw;	/* INLINED: see struct pp_code */
	/* CODE, INLINED: the line of the call to the function below; NULL: unknown or not
	 * requested */
	const char *file;
	uint32_t line;
	uint32_t code;		/* CODE, INLINED: an index; else PP_NO_CODE */
	uint32_t binary;	/* IMAGE: an index */
	uint8_t kind;		/* enum pp_place_kind */
	bool is_kernel;
	bool unwanted;		/* an option leaves this function out, and so all samples in it */
	bool nameless;		/* CODE: no function's; calls within it are nobody's, so such frames are one node */
};

#define PP_PATH_ROOT		0u
#define PP_PATH_MAX_DEPTH	2048

struct pp_path_node {
	uint64_t *self;		/* by class; NULL: no path ends here */
	uint64_t *total;	/* .self of this node and of all nodes below it */
	uint32_t parent, place;	/* indices */
	/* Its children are .children[first] and so on. While the tree is made: the first of its list, and how many it has. */
	uint32_t first, nr;
	uint32_t next;		/* ... in the list of its parent; 0: there is none */
	uint16_t depth;		/* 1: programs */
	bool by_pointer;	/* the frame was found by a frame pointer */
};

struct pp_paths {
	struct pp_place *places;
	size_t nr_places;
	struct pp_path_node *nodes;	/* the root is the first */
	size_t nr_nodes;
	uint32_t *children;	/* of each node, the child with the most samples first */
	size_t nr_damaged;	/* trees and nodes that were left out, because they made no sense */
};

/* Takes NULL. */
void pp_paths_free(struct pp_paths *paths);

/* Adds up totals, which are allocated in @blocks, and orders children. -ENOMEM. */
int pp_paths_finish(struct pp_paths *paths, const struct pp_profile *profile, struct pp_block **blocks);

/* Visits all nodes but the root: a node after its parent, and of children the one with the most
 * samples first. */
struct pp_path_walk {
	const struct pp_paths *paths;
	size_t depth;			/* of the node; 1: it is a program */
	uint32_t nodes[PP_PATH_MAX_DEPTH + 3];	/* the path to it: [1] is the program, [depth] the node */
	uint32_t next[PP_PATH_MAX_DEPTH + 3];	/* which child of each is to be visited */
};

void pp_path_walk_begin(struct pp_path_walk *walk, const struct pp_paths *paths);
bool pp_path_walk_next(struct pp_path_walk *walk);
/* Leaves out the nodes below the current one. */
void pp_path_walk_skip(struct pp_path_walk *walk);

/* Whether such a place stands for the unknown beginning of a path. */
static inline bool pp_place_is_reason(const struct pp_place *place)
{
	return place->kind >= PP_PLACE_SHORT;
}

static inline const struct pp_place *pp_path_place(const struct pp_paths *paths, uint32_t node)
{
	return &paths->places[paths->nodes[node].place];
}

#endif
