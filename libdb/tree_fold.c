// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_fold.c -- folding of a tree into a smaller tree, in steps, while the old tree is still
 * updated.
 *
 * A step may use counts that change later. This affects only which nodes are kept, because the
 * last step adds the counts that changed in the meantime. Node numbers never change their meaning
 * in a file, and readers keep the old file mapped. A kill leaves either the old file or the new
 * file.
 */
#include "config.h"
#include "libdb/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXACT	4096u		/* histogram: each total below EXACT has its own bucket */
#define PARTS	64u		/* histogram: higher totals have PARTS buckets per power of two */
#define PLACES	(EXACT + (32 - 12) * PARTS)
/* flag in .least: besides the count of the node, the counts of all its descendants are added to the
 * node's copy */
#define ONLY	(1u << 31)
#define NONE	UINT32_MAX

enum phase { READ, ADD_UP, COUNT, TIES, COPY, READY };
enum { HAS_PATH = 1, WAS_FOLDED = 2, IS_EMPTY = 4 };

struct tree_fold {
	struct tree *to;
	const struct tree *from;
	enum phase phase;
	uint32_t nodes;		/* maximum number of nodes in @to */
	/* number of nodes of @from when the folding started, as tree_end() returned it */
	uint32_t end;
	/* number of the node of @from that the current pass processes next */
	uint32_t at;
	/* before a node is copied: the sum of the counts in its subtree, at most NONE; afterwards:
	 * the low bits of the node's own count when it was copied, so that add_rest() can compute
	 * the difference */
	uint32_t *total;
	/*
	 * For each node, the meaning depends on the phase. READ and ADD_UP: the lowest total of the
	 * node's children. COUNT and TIES: the number of the node's children that will be folded.
	 * Once the node is copied: the number of the node's copy in @to.
	 */
	uint32_t *least;
	/* flags of each node; IS_EMPTY: no node of the subtree has a count, so the node is not
	 * copied to @to */
	uint8_t *state;
	/* histograms of the nodes: by total (the sum of the counts in the subtree), and by the
	 * lowest total among the node and its children */
	uint32_t *above, *least_above;
	bool orphans;
	/* Keep each node whose total exceeds @limit, and each node whose total is exactly @limit
	 * and whose number is below @first. */
	uint32_t limit, first;
	/* number of nodes that @to will have; includes the kept nodes with a total of exactly
	 * @limit */
	uint64_t cost;
};

static uint32_t add_saturated(uint32_t a, uint64_t b)
{
	return b > NONE - a ? NONE : a + (uint32_t)b;
}

static uint32_t place_of(uint32_t total)
{
	uint32_t power;

	if (total < EXACT)
		return total;
	power = 31 - (uint32_t)__builtin_clz(total);
	return EXACT + (power - 12) * PARTS + (total >> (power - 6)) % PARTS;
}

/* Return the highest total that histogram bucket @place counts. */
static uint32_t highest_at(uint32_t place)
{
	uint32_t power;

	if (place < EXACT)
		return place;
	power = (place - EXACT) / PARTS + 12;
	return ((PARTS + (place - EXACT) % PARTS + 1) << (power - 6)) - 1;
}

void tree_fold_cancel(struct tree_fold *f)
{
	if (!f)
		return;
	free(f->total);
	free(f->least);
	free(f->state);
	free(f->above);
	free(f->least_above);
	free(f);
}

int tree_fold_begin(struct tree_fold **ret, struct tree *to, const struct tree *from,
		    uint32_t nodes)
{
	struct tree_fold *f;

	if (nodes < 4)
		return -EINVAL;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	*f = (struct tree_fold){
		.to = to, .from = from, .nodes = nodes, .end = tree_end(from), .at = TREE_FIRST,
	};
	f->total = calloc(f->end, sizeof(*f->total));
	f->least = calloc(f->end, sizeof(*f->least));
	f->state = calloc(f->end, sizeof(*f->state));
	f->above = calloc(PLACES, sizeof(*f->above));
	f->least_above = calloc(PLACES, sizeof(*f->least_above));
	if (!f->total || !f->least || !f->state || !f->above || !f->least_above) {
		tree_fold_cancel(f);
		return -ENOMEM;
	}
	f->state[TREE_ROOT] = HAS_PATH;
	*ret = f;
	return 0;
}

static void read_node(struct tree_fold *f, uint32_t i)
{
	struct tree_node node;

	f->least[i] = NONE;
	if (!tree_node(f->from, i, &node))
		return;
	if (!(f->state[node.parent] & HAS_PATH)) {
		f->orphans = true;
		return;
	}
	f->state[i] = HAS_PATH | (node.frame == FRAME_FOLDED ? WAS_FOLDED : 0);
	f->total[i] = add_saturated(0, node.count);
}

/* Add a node's total to the total of its parent. The caller must pass the nodes in descending
 * order, because children have higher numbers than their parents. */
static void add_up_node(struct tree_fold *f, uint32_t i)
{
	uint32_t total = f->total[i], least;
	struct tree_node node;

	if (!total || !tree_node(f->from, i, &node))
		return;
	if (node.parent != TREE_ROOT) {
		/* Always fold a FRAME_FOLDED node of an earlier folding again. */
		least = f->state[i] & WAS_FOLDED ? 0 : total;
		f->total[node.parent] = add_saturated(f->total[node.parent], total);
		if (least < f->least[node.parent])
			f->least[node.parent] = least;
	}
	if (f->state[i] & WAS_FOLDED)
		return;
	least = f->least[i] < total ? f->least[i] : total;
	f->above[place_of(total)]++;
	f->least_above[place_of(least)]++;
}

/*
 * Choose the lowest limit for which @to has at most f->nodes nodes. A node is kept if its total
 * exceeds the limit. If a child of a kept node is not kept, the kept node gets an additional
 * FRAME_FOLDED child.
 */
static void choose(struct tree_fold *f)
{
	uint64_t above = 0, least_above = 0;
	uint32_t place;

	for (place = 1; place < PLACES; place++) {
		above += f->above[place];
		least_above += f->least_above[place];
	}
	for (place = 0; 1; place++) {
		f->cost = 1 + f->orphans + 2 * above - least_above;
		if (f->cost <= f->nodes || place + 1 == PLACES)
			break;
		above -= f->above[place + 1];
		least_above -= f->least_above[place + 1];
	}
	f->limit = highest_at(place);
}

/* If the total of node @i does not exceed the limit, add 1 to the number of its parent's children
 * that will be folded. try_tie() may still keep the node. */
static void count_node(struct tree_fold *f, uint32_t i)
{
	struct tree_node node;

	if (f->total[i] && (f->state[i] & WAS_FOLDED || f->total[i] <= f->limit) &&
	    tree_node(f->from, i, &node))
		f->least[node.parent]++;
}

/* Keep node @i if its total equals the limit and @to has room. The caller passes the oldest nodes
 * first. */
static void try_tie(struct tree_fold *f, uint32_t i)
{
	struct tree_node node;

	if (!f->total[i] || f->total[i] != f->limit || f->state[i] & WAS_FOLDED ||
	    !tree_node(f->from, i, &node))
		return;
	f->cost += f->least[i] ? 2 : 1;
	if (!--f->least[node.parent] && node.parent != TREE_ROOT)
		f->cost--;
	if (f->cost <= f->nodes)
		f->first = i + 1;
}

/* Return true if node @i is kept. If a node is kept, so is its parent, because the parent has at
 * least the same total and a lower number. */
static bool stays(const struct tree_fold *f, uint32_t i)
{
	if (f->state[i] & WAS_FOLDED)
		return false;
	return f->total[i] > f->limit || (f->total[i] == f->limit && i < f->first);
}

/* Set *@map to the node of @to to which the count of node @i is added. Set the flag ONLY in *@map
 * if the counts of all descendants are added there, too. */
static int map_node(struct tree_fold *f, uint32_t i, const struct tree_node *node, uint32_t *map)
{
	uint32_t above = node->parent == TREE_ROOT ? TREE_ROOT : f->least[node->parent];
	int err;

	if (!(f->state[node->parent] & HAS_PATH)) {
		err = tree_child(f->to, TREE_ROOT, FRAME_LOST, map);
		*map |= ONLY;
		return err;
	}
	f->state[i] |= HAS_PATH;
	if (f->state[node->parent] & IS_EMPTY || (i < f->end && !f->total[i])) {
		f->state[i] |= IS_EMPTY;
		return 0;
	}
	if (above & ONLY) {
		*map = above;
		return 0;
	}
	if (i >= f->end || stays(f, i))
		return tree_child(f->to, above, node->frame, map);
	err = tree_child(f->to, above, FRAME_FOLDED, map);
	*map |= ONLY;
	return err;
}

static int copy_node(struct tree_fold *f, uint32_t i)
{
	struct tree_node node;
	uint32_t map = 0;
	int err;

	if (!tree_node(f->from, i, &node)) {
		f->least[i] = 0;
		return 0;
	}
	err = map_node(f, i, &node, &map);
	if (!err && map && node.count)
		err = tree_add(f->to, map & ~ONLY, node.count);
	f->least[i] = map;
	f->total[i] = map ? (uint32_t)node.count : 0;
	return err;
}

static int forward(struct tree_fold *f, uint32_t i)
{
	if (f->phase == COUNT)
		count_node(f, i);
	else if (f->phase == TIES)
		try_tie(f, i);
	else
		return copy_node(f, i);
	return 0;
}

int tree_fold_step(struct tree_fold *f, uint32_t work)
{
	int err = 0;

	for (; work && f->phase != READY && !err; work--) {
		switch (f->phase) {
		case READ:
			if (f->at < f->end) {
				read_node(f, f->at++);
				break;
			}
			f->phase = ADD_UP;
			break;
		case ADD_UP:
			if (f->at > TREE_FIRST) {
				add_up_node(f, --f->at);
				break;
			}
			choose(f);
			memset(f->least, 0, f->end * sizeof(*f->least));
			f->phase = COUNT;
			break;
		default:
			if (f->at < f->end) {
				err = forward(f, f->at++);
				break;
			}
			/* From EXACT on, a histogram bucket covers a range of totals, so the limit
			 * is not exact and the phase TIES is not needed. */
			f->phase += f->phase == COUNT && f->limit >= EXACT ? 2 : 1;
			f->at = TREE_FIRST;
		}
	}
	return err ? err : f->phase != READY;
}

/* Find the node of @to for counts that were added to node @i after the copying pass. Node @i had
 * no counts then, so it has no copy: use a FRAME_FOLDED child of its nearest copied ancestor. */
static int folded_for(struct tree_fold *f, uint32_t i, uint32_t *number)
{
	struct tree_node node;
	uint32_t above;

	while (i != TREE_ROOT && f->state[i] & IS_EMPTY) {
		if (!tree_node(f->from, i, &node))
			return -EINVAL;
		i = node.parent;
	}
	above = i == TREE_ROOT ? TREE_ROOT : f->least[i];
	*number = above & ~ONLY;
	return above & ONLY ? 0 : tree_child(f->to, above, FRAME_FOLDED, number);
}

/* Add to the copy of node @i the counts that were added to node @i after it was copied. If the node
 * has no copy and @to has no room for a new node, add the counts to the root's FRAME_FOLDED
 * child. */
static int add_rest(struct tree_fold *f, uint32_t i)
{
	struct tree_node node;
	uint32_t rest, number;
	int err;

	if (!tree_node(f->from, i, &node))
		return 0;
	rest = (uint32_t)node.count - f->total[i];
	if (!rest)
		return 0;
	number = f->least[i] & ~ONLY;
	if (f->state[i] & IS_EMPTY) {
		err = folded_for(f, i, &number);
		if (err)
			number = tree_folded_above(f->to, TREE_ROOT);
	}
	return tree_add(f->to, number, rest);
}

static int more_room(struct tree_fold *f, uint32_t end)
{
	uint32_t *total = reallocarray(f->total, end, sizeof(*total)), *least;
	uint8_t *state;

	if (!total)
		return -ENOMEM;
	f->total = total;
	least = reallocarray(f->least, end, sizeof(*least));
	if (!least)
		return -ENOMEM;
	f->least = least;
	state = reallocarray(f->state, end, sizeof(*state));
	if (!state)
		return -ENOMEM;
	f->state = state;
	for (uint32_t i = f->end; i < end; i++)
		f->state[i] = 0;
	return 0;
}

int tree_fold_end(struct tree_fold *f)
{
	uint32_t end = tree_end(f->from);
	int err;

	do
		err = tree_fold_step(f, UINT32_MAX);
	while (err > 0);
	if (!err && end > f->end)
		err = more_room(f, end);
	for (uint32_t i = TREE_FIRST; i < f->end && !err; i++)
		err = add_rest(f, i);
	for (uint32_t i = f->end; i < end && !err; i++) {
		err = copy_node(f, i);
		if (!err)
			err = add_rest(f, i);
	}
	tree_fold_cancel(f);
	return err;
}

int tree_fold(struct tree *to, const struct tree *from, uint32_t nodes)
{
	struct tree_fold *f;
	int err = tree_fold_begin(&f, to, from, nodes);

	return err ? err : tree_fold_end(f);
}
