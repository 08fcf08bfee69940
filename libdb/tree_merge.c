// SPDX-License-Identifier: GPL-2.0-or-later
/* tree_merge.c -- addition of a tree to another tree. */
#include "config.h"
#include "libdb/tree.h"

#include <errno.h>
#include <stdlib.h>

/* flag in the map: the node also receives the counts of all its descendants */
#define ONLY	(1u << 31)

struct copy {
	struct tree *to;
	const struct tree *from;
	int (*frame)(void *context, uint32_t frame, uint32_t *ret);
	void *context;
	/* the number of each node of @from in @to; 0: the node was not copied */
	uint32_t *map;
};

/* Set *@map to the node of @to that receives the count of a node, with ONLY if its descendants'
 * counts go there, too. */
static int map_node(const struct copy *c, const struct tree_node *node, uint32_t *map)
{
	uint32_t above = c->map[node->parent], frame = node->frame;
	int err = 0;

	if (above & ONLY) {
		*map = above;
	} else if (node->parent != TREE_ROOT && !above) {
		err = tree_child(c->to, TREE_ROOT, FRAME_LOST, map);
		*map |= ONLY;
	} else {
		if (c->frame && frame >= FRAME_FIRST)
			err = c->frame(c->context, frame, &frame);
		if (!err)
			err = tree_child(c->to, above, frame, map);
	}
	return err;
}

static int copy_nodes(struct copy *c)
{
	uint32_t end = tree_end(c->from);
	struct tree_node node;
	int err = 0;

	c->map = calloc(end, sizeof(*c->map));
	if (!c->map)
		return -ENOMEM;
	for (uint32_t i = TREE_FIRST; i < end && !err; i++) {
		if (!tree_node(c->from, i, &node))
			continue;
		err = map_node(c, &node, &c->map[i]);
		if (!err && node.count)
			err = tree_add(c->to, c->map[i] & ~ONLY, node.count);
	}
	free(c->map);
	return err;
}

int tree_merge(struct tree *to, const struct tree *from,
	       int (*frame)(void *context, uint32_t frame, uint32_t *ret), void *context)
{
	struct copy c = { .to = to, .from = from, .frame = frame, .context = context };

	return copy_nodes(&c);
}
