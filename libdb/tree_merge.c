// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_merge.c -- adding a tree to another one: whole, or with its rarest subtrees folded.
 *
 * A tree is folded by writing a smaller one beside it. Numbers in a file never change their meaning,
 * readers keep what they have mapped, and a kill leaves the one or the other.
 */
#include "config.h"
#include "libdb/tree.h"

#include <errno.h>
#include <stdlib.h>

/* Which nodes stay: all with a higher total than @above, and of those with just that total the
 * ones below the number @first. */
struct fold {
	uint32_t end;
	uint64_t *total;	/* of each node's subtree; 0: nothing to keep */
	uint32_t *parent;
	bool *folded_before;
	uint8_t *seen;		/* scratch of cost() */
	uint8_t pass;
	bool orphans;
	uint64_t above;
	uint32_t first;
};

/* marks a node of the map that stands for all nodes below it, too */
#define ONLY	(1u << 31)

struct copy {
	struct tree *to;
	const struct tree *from;
	const struct fold *fold;	/* NULL: all nodes stay */
	int (*frame)(void *context, uint32_t frame, uint32_t *ret);
	void *context;
	uint32_t *map;		/* the number in @to for each number in @from; 0: none */
};

/* If a node stays, its parent stays: a parent's total is never lower, and its number is. */
static bool stays(const struct fold *fold, uint32_t i)
{
	if (i == TREE_ROOT)
		return true;
	if (fold->folded_before[i])
		return false;
	return fold->total[i] > fold->above || (fold->total[i] == fold->above && i < fold->first);
}

/* Finds out where the count of node @i goes: *@map, which also tells where its children go. */
static int map_node(const struct copy *c, uint32_t i, const struct tree_node *node, uint32_t *map)
{
	uint32_t above = c->map[node->parent], frame = node->frame;
	int err = 0;

	if (above & ONLY) {
		*map = above;
	} else if (node->parent != TREE_ROOT && !above) {
		err = tree_child(c->to, TREE_ROOT, FRAME_LOST, map);
		*map |= ONLY;
	} else if (c->fold && !c->fold->total[i]) {
		*map = above | ONLY;	/* nothing was ever counted there */
	} else if (c->fold && !stays(c->fold, i)) {
		err = tree_child(c->to, above, FRAME_FOLDED, map);
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

	if (c->fold && c->fold->end < end)
		end = c->fold->end;
	c->map = calloc(end, sizeof(*c->map));
	if (!c->map)
		return -ENOMEM;
	for (uint32_t i = TREE_FIRST; i < end && !err; i++) {
		if (!tree_node(c->from, i, &node))
			continue;
		err = map_node(c, i, &node, &c->map[i]);
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

/* How many nodes the new tree will have when these stay. */
static uint32_t cost(struct fold *fold)
{
	uint32_t nodes = 1 + fold->orphans;	/* the root's [folded] is always there */

	fold->pass++;
	for (uint32_t i = TREE_FIRST; i < fold->end; i++) {
		uint32_t parent = fold->parent[i];

		if (!fold->total[i])
			continue;
		if (stays(fold, i)) {
			nodes++;
		} else if (parent != TREE_ROOT && fold->seen[parent] != fold->pass &&
			   stays(fold, parent)) {
			fold->seen[parent] = fold->pass;
			nodes++;
		}
	}
	return nodes;
}

/* Chooses @above and @first so that as many nodes stay as @nodes allow: a lower @above and a
 * higher @first let more stay. */
static void choose(struct fold *fold, uint32_t nodes)
{
	uint64_t low = 0, high = 0;
	uint32_t most, first = 0;

	for (uint32_t i = TREE_FIRST; i < fold->end; i++)
		high = fold->total[i] > high ? fold->total[i] : high;
	while (low < high) {
		fold->above = low + (high - low) / 2;
		if (cost(fold) <= nodes)
			high = fold->above;
		else
			low = fold->above + 1;
	}
	fold->above = low;
	most = low ? fold->end : 0;
	while (first < most) {
		fold->first = first + (most - first + 1) / 2;
		if (cost(fold) <= nodes)
			first = fold->first;
		else
			most = fold->first - 1;
	}
	fold->first = first;
}

static void add_totals(struct fold *fold, const struct tree *from)
{
	struct tree_node node;

	/* 1 in @seen: the node has a path up to the root. */
	fold->seen[TREE_ROOT] = 1;
	for (uint32_t i = TREE_FIRST; i < fold->end; i++) {
		if (!tree_node(from, i, &node))
			continue;
		fold->seen[i] = fold->seen[node.parent];
		if (!fold->seen[i]) {
			fold->orphans = true;
			continue;
		}
		fold->parent[i] = node.parent;
		fold->total[i] = node.count;
		fold->folded_before[i] = node.frame == FRAME_FOLDED;
	}
	for (uint32_t i = fold->end; i-- > TREE_FIRST;) {
		uint64_t *sum = &fold->total[fold->parent[i]];

		if (fold->parent[i] != TREE_ROOT && __builtin_add_overflow(*sum, fold->total[i], sum))
			*sum = UINT64_MAX;
	}
	fold->pass = 1;
}

int tree_fold(struct tree *to, const struct tree *from, uint32_t nodes)
{
	struct fold fold = { .end = tree_end(from) };
	struct copy c = { .to = to, .from = from, .fold = &fold };
	int err = -ENOMEM;

	if (nodes < 4)
		return -EINVAL;
	fold.total = calloc(fold.end, sizeof(*fold.total));
	fold.parent = calloc(fold.end, sizeof(*fold.parent));
	fold.folded_before = calloc(fold.end, sizeof(*fold.folded_before));
	fold.seen = calloc(fold.end, sizeof(*fold.seen));
	if (fold.total && fold.parent && fold.folded_before && fold.seen) {
		add_totals(&fold, from);
		choose(&fold, nodes);
		err = copy_nodes(&c);
	}
	free(fold.total);
	free(fold.parent);
	free(fold.folded_before);
	free(fold.seen);
	return err;
}
