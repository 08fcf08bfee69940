// SPDX-License-Identifier: GPL-2.0-or-later
/* inline_tree.c -- a tree of functions and the calls inlined into them, with counts of source
 * lines. */
#include "config.h"
#include "pp/format/inline_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"

static int compare_spots(struct pp_spot a, struct pp_spot b)
{
	int order = op_compare_u64(a.offset, b.offset);

	return order ? order : op_compare_u64(a.discriminator, b.discriminator);
}

static int compare_call(const struct pp_inline_node *node, struct pp_spot call, const char *name)
{
	int order = compare_spots(node->call, call);

	return order ? order : strcmp(node->name, name);
}

struct pp_inline_node *pp_inline_node(struct pp_inline_tree *tree, struct pp_inline_node *outer,
				      struct pp_spot call, const char *name)
{
	size_t at = op_partition_point(i, outer->nr_calls,
				       compare_call(outer->calls[i], call, name) < 0);
	struct pp_inline_node *node;

	if (at < outer->nr_calls && !compare_call(outer->calls[at], call, name))
		return outer->calls[at];
	name = pp_intern(&tree->names, &tree->strings, name);
	node = name ? calloc(1, sizeof(*node)) : NULL;
	if (!node || op_grow(&outer->calls, outer->nr_calls)) {
		free(node);
		return NULL;
	}
	node->name = name;
	node->call = call;
	memmove(outer->calls + at + 1, outer->calls + at,
		(outer->nr_calls - at) * sizeof(struct pp_inline_node *));
	outer->calls[at] = node;
	outer->nr_calls++;
	return node;
}

int pp_inline_line(struct pp_inline_node *node, struct pp_spot spot, uint64_t count)
{
	size_t at = op_partition_point(i, node->nr_lines,
				       compare_spots(node->lines[i].spot, spot) < 0);

	if (at == node->nr_lines || compare_spots(node->lines[at].spot, spot)) {
		if (op_grow(&node->lines, node->nr_lines))
			return -ENOMEM;
		memmove(node->lines + at + 1, node->lines + at,
			(node->nr_lines - at) * sizeof(*node->lines));
		node->lines[at] = (struct pp_spot_count){ spot, 0 };
		node->nr_lines++;
	}
	if (node->lines[at].count < count)
		node->lines[at].count = count;
	return 0;
}

/* Set and return the total of a node, including its descendants. PP_MAX_FRAMES limits the
 * recursion. */
static uint64_t sum(struct pp_inline_node *node)
{
	node->total = 0;
	for (size_t i = 0; i < node->nr_lines; i++)
		node->total += node->lines[i].count;
	for (size_t i = 0; i < node->nr_calls; i++)
		node->total += sum(node->calls[i]);
	return node->total;
}

static int compare_functions(const void *a, const void *b)
{
	const struct pp_inline_node *x = *(const struct pp_inline_node *const *)a,
				    *y = *(const struct pp_inline_node *const *)b;

	return x->total != y->total ? op_compare_u64(y->total, x->total) : strcmp(x->name, y->name);
}

void pp_inline_tree_finish(struct pp_inline_tree *tree)
{
	struct pp_inline_node *root = &tree->root;

	sum(root);
	if (root->nr_calls)
		qsort(root->calls, root->nr_calls, sizeof(struct pp_inline_node *),
		      compare_functions);
}

static void release_node(struct pp_inline_node *node)
{
	for (size_t i = 0; i < node->nr_calls; i++) {
		release_node(node->calls[i]);
		free(node->calls[i]);
	}
	free(node->calls);
	free(node->lines);
}

void pp_inline_tree_release(struct pp_inline_tree *tree)
{
	release_node(&tree->root);
	pp_intern_release(&tree->names);
	pp_block_free(tree->strings);
	*tree = (struct pp_inline_tree){ .strings = NULL };
}
