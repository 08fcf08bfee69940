/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inline_tree.h -- counts by source line in functions and in the calls that a compiler inlined into
 * them, as LLVM's profiles of samples contain them. Lines are relative to the line of the
 * function's declaration, so that a change above the function does not matter.
 */
#ifndef PP_FORMAT_INLINE_TREE_H
#define PP_FORMAT_INLINE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "pp/base/block.h"

/* A source line of a function, as clang identifies it. */
struct pp_spot {
	uint32_t offset;	/* number of lines after the function's declaration */
	uint32_t discriminator;
};

struct pp_spot_count {
	struct pp_spot spot;
	uint64_t count;
};

/* A function, or a call that was inlined into another node. */
struct pp_inline_node {
	const char *name;	/* linkage name of the function; owned by the tree */
	struct pp_spot call;	/* place of the call in the outer node; zero for functions */
	uint64_t head;		/* number of times that the function was entered */
	uint64_t total;		/* sum of the lines of the node and of all nodes inside */
	struct pp_spot_count *lines;	/* lines of the function itself, in order of place */
	size_t nr_lines;
	struct pp_inline_node **calls;	/* nodes inside, in order of place, then of name */
	size_t nr_calls;
};

struct pp_inline_tree {
	struct pp_inline_node root;	/* root of the tree; its .calls are the functions */
	struct pp_intern names;
	struct pp_block *strings;
};

/* Return the function @name (@outer is the root of the tree), or the call of @name at @call in the
 * node @outer; NULL if out of memory. */
struct pp_inline_node *pp_inline_node(struct pp_inline_tree *tree, struct pp_inline_node *outer,
				      struct pp_spot call, const char *name);
/* Set the count of a line to the largest of @count and earlier counts of the line: compilers
 * distribute the instructions of a line, and copies of them, over several blocks. Return 0 or
 * -ENOMEM. */
int pp_inline_line(struct pp_inline_node *node, struct pp_spot spot, uint64_t count);
/* Compute all totals, and sort the functions by falling total. After this call, no node can be
 * added. */
void pp_inline_tree_finish(struct pp_inline_tree *tree);
/* Release the tree. Accepts a zeroed struct, which is an empty tree. */
void pp_inline_tree_release(struct pp_inline_tree *tree);

#endif
