/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inline_tree.h -- counts of source lines, in functions and in the calls that a compiler inlined
 * into them, as in LLVM's sample profiles. Line numbers count from the function's declaration, so
 * that changes above the function do not matter.
 */
#ifndef PP_FORMAT_INLINE_TREE_H
#define PP_FORMAT_INLINE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "pp/base/block.h"

/* A source position inside a function, in the form that clang uses. */
struct pp_spot {
	/* number of lines between the function's declaration and the position */
	uint32_t offset;
	uint32_t discriminator;
};

struct pp_spot_count {
	struct pp_spot spot;
	uint64_t count;
};

/* A node of the tree: a function, or an inlined call inside another node. */
struct pp_inline_node {
	const char *name;	/* linkage name, owned by the tree */
	/* position of the inlined call in the outer node; zero for functions */
	struct pp_spot call;
	uint64_t head;		/* estimated number of executions of the function */
	/* sum of the counts of the lines in the node and in its descendants */
	uint64_t total;
	struct pp_spot_count *lines;	/* counts of the function's own lines, sorted by position */
	size_t nr_lines;
	struct pp_inline_node **calls;	/* inlined calls, sorted by position, then name */
	size_t nr_calls;
};

struct pp_inline_tree {
	struct pp_inline_node root;	/* root of the tree, whose .calls are the functions */
	struct pp_intern names;
	struct pp_block *strings;
};

/* Find or add a node, and return it. If @outer is the root of the tree, the node is the function
 * @name; else the node is the call of @name that was inlined into @outer at @call. Return NULL if
 * out of memory. */
struct pp_inline_node *pp_inline_node(struct pp_inline_tree *tree, struct pp_inline_node *outer,
				      struct pp_spot call, const char *name);
/* Raise the count of a source line to @count, unless it is higher already. The maximum is used
 * instead of a sum, because compilers spread a line's instructions, and copies of them, over
 * several basic blocks. Return 0 or -ENOMEM. */
int pp_inline_line(struct pp_inline_node *node, struct pp_spot spot, uint64_t count);
/* Compute all totals, and sort the functions by total, largest first. Add no nodes after this
 * call. */
void pp_inline_tree_finish(struct pp_inline_tree *tree);
/* Free the contents of @tree. A zeroed struct is an empty tree. */
void pp_inline_tree_release(struct pp_inline_tree *tree);

#endif
