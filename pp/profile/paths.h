/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h -- the calling context tree of a profile, with the samples of each call path.
 *
 * Below the root are the programs. Below a program are the outermost functions of complete call
 * paths. A program also has a node for each reason why a path is incomplete; the known part of an
 * incomplete path is below that node. The parent of each other node is its caller.
 *
 * In a report of wakers, the functions of the wakers are below the root, and the programs whose
 * waits they ended are below the functions.
 *
 * A node's number is larger than its parent's. In each class, the sum of all nodes equals the sum
 * of the flat profile. Samples count at the node of the sampled function, or of a reason such as
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
	/* a binary, which is an element only in trees without call paths */
	PP_PLACE_IMAGE,
	PP_PLACE_CODE,		/* a function, or code without a symbol */
	/* a function inlined into another one; only with source lines */
	PP_PLACE_INLINED,
	/* the function that ended waits of the programs below; only in trees of wakers */
	PP_PLACE_WAKER,
	/* The following kinds are reasons why a path is unknown or incomplete. */
	/* the caller of the outermost known frame is unknown; .name is the cause */
	PP_PLACE_SHORT,
	/* rare paths that the daemon has summed to save space */
	PP_PLACE_FOLDED,
	/* the path was not yet on disk at a power cut, or its file is damaged */
	PP_PLACE_LOST,
	/* the session's list of frames lacks a frame of the path */
	PP_PLACE_UNKNOWN,
	/* the path has more than PP_PATH_MAX_DEPTH frames */
	PP_PLACE_TOO_DEEP,
	/* samples that were taken without a call path */
	PP_PLACE_NO_PATH,
};

/* A function on call paths, or a program, a binary, or a reason for an incomplete path. All nodes
 * of one function refer to the same place. */
struct pp_place {
	/* PP_PLACE_PROGRAM, PP_PLACE_IMAGE: title. PP_PLACE_WAKER: title of the waker's program.
	 * PP_PLACE_INLINED: name in reports. PP_PLACE_SHORT: cause. Other kinds: NULL. */
	const char *name;
	const char *raw;	/* only for PP_PLACE_INLINED: linker's name, as pp_code.raw */
	/* only for PP_PLACE_CODE and PP_PLACE_INLINED: source file of the line that calls the next
	 * function; NULL: unknown or not requested */
	const char *file;
	uint32_t line;
	/* the place is one address of code without a symbol (pp_profile_options.addresses): the
	 * virtual address, or the offset in the file for PP_CODE_RAW */
	bool has_vma;
	uint64_t vma;
	/* only for PP_PLACE_CODE, PP_PLACE_INLINED and PP_PLACE_WAKER: index of the function in the
	 * profile's codes; other kinds: PP_NO_CODE */
	uint32_t code;
	uint32_t binary;	/* only for PP_PLACE_IMAGE: index of the binary */
	uint8_t kind;		/* kind of this element of call paths, enum pp_place_kind */
	bool is_kernel;
	/* an option excludes this function and its samples */
	bool unwanted;
	/* only for PP_PLACE_CODE: the code has no symbol, so calls inside it are unknown. Adjacent
	 * frames in this code are merged to one node. */
	bool nameless;
};

#define PP_PATH_ROOT		0u
#define PP_PATH_MAX_DEPTH	2048

struct pp_path_node {
	/* for each class of samples: samples of the paths that end at this node; NULL: no
	 * samples */
	uint64_t *self;
	uint64_t *total; /* for each class of samples: samples of the node and its descendants */
	/* index of the parent node; index of the node's place (function or the like) in
	 * pp_paths.places */
	uint32_t parent, place;
	/* .first: index of the first child in pp_paths.children; .nr: number of children. While the
	 * tree is built, .first is the node number of the first child in a linked list. */
	uint32_t first, nr;
	/* while the tree is built: node number of the next sibling; 0: no more siblings */
	uint32_t next;
	uint16_t depth;		/* 1 for programs, 2 for nodes below a program, and so on */
	bool by_pointer;	/* the unwinder found the frame by a frame pointer */
};

struct pp_paths {
	struct pp_place *places;
	size_t nr_places;
	struct pp_path_node *nodes;	/* nodes of the tree; the first node is the root */
	size_t nr_nodes;
	/* the children of all nodes; siblings are sorted by total, largest first */
	uint32_t *children;
	/* number of damaged trees and nodes that were skipped when this tree was made */
	size_t nr_damaged;
};

/* Free the tree. @paths may be NULL. */
void pp_paths_free(struct pp_paths *paths);

/* Compute the totals of all nodes, and sort the children of each node. @blocks will own the memory
 * of the totals. Return 0 or -ENOMEM. */
int pp_paths_finish(struct pp_paths *paths, const struct pp_profile *profile,
		    struct pp_block **blocks);

/* A walk over all nodes except the root. A node is visited before its children, and siblings in the
 * order of their totals, largest first. */
struct pp_path_walk {
	const struct pp_paths *paths;
	size_t depth;			/* depth of the current node; 1: the node is a program */
	/* the path to the current node: nodes[1] is the program, nodes[depth] the current node */
	uint32_t nodes[PP_PATH_MAX_DEPTH + 3];
	/* for each node of the path: its next child to visit */
	uint32_t next[PP_PATH_MAX_DEPTH + 3];
};

void pp_path_walk_begin(struct pp_path_walk *walk, const struct pp_paths *paths);
bool pp_path_walk_next(struct pp_path_walk *walk);
/* Skip the descendants of the current node of the walk. */
void pp_path_walk_skip(struct pp_path_walk *walk);

/* Return the text that reports print for an element of call paths of the kind @kind, such as "[no
 * path]". Return NULL if each place of this kind has a name of its own. */
const char *pp_place_word(enum pp_place_kind kind);

/* Return whether @place is the reason why a call path is unknown or incomplete, and not a function
 * or the like. */
static inline bool pp_place_is_reason(const struct pp_place *place)
{
	return place->kind >= PP_PLACE_SHORT;
}

static inline const struct pp_place *pp_path_place(const struct pp_paths *paths, uint32_t node)
{
	return &paths->places[paths->nodes[node].place];
}

#endif
