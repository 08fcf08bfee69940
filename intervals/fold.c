// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fold.c -- reduces the size of an interval: removes nodes of call paths, or rounds addresses.
 */
#include "config.h"
#include "intervals/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/private.h"
#include "libop/base/search.h"
#include "libop/session/path_files.h"

/* nodes with a total below this limit are sorted by counting sort */
#define SMALL	65536u

#define NO_NODE	UINT32_MAX

/* The state of choosing which nodes of call paths to keep. All arrays have an element for each
 * node. */
struct folding {
	const struct itv *v;
	uint32_t *parent;	/* index of each node's parent; NO_NODE: the node is a root */
	/* total of each node: number of samples of the node and all its descendants */
	uint64_t *total;
	/* number of children of each node that are removed; if a kept node has removed children, it
	 * gets an additional child ITV_FRAME_FOLDED */
	uint32_t *removed;
	/* nodes in descending order of their totals; keep_nodes() keeps the first ones */
	uint32_t *order;
	uint32_t nr_order;
	bool *kept;
};

static void folding_release(struct folding *f)
{
	free(f->parent);
	free(f->total);
	free(f->removed);
	free(f->order);
	free(f->kept);
}

static int folding_init(struct folding *f, const struct itv *v)
{
	*f = (struct folding){
		.v = v,
		.parent = itv_new_list(v->nr_nodes, sizeof(*f->parent)),
		.total = itv_new_list(v->nr_nodes, sizeof(*f->total)),
		.removed = itv_new_list(v->nr_nodes, sizeof(*f->removed)),
		.order = itv_new_list(v->nr_nodes, sizeof(*f->order)),
		.kept = itv_new_list(v->nr_nodes, sizeof(*f->kept)),
	};
	return f->parent && f->total && f->removed && f->order && f->kept ? 0 : -ENOMEM;
}

/* Set .parent of all nodes. Nodes are stored in depth-first order, so the parent of a node is the
 * nearest earlier node whose children are not complete yet. */
static void find_parents(struct folding *f, const struct itv_tree *tree)
{
	uint32_t parent = NO_NODE;
	/* During the loop, .removed[n] is the number of children of node n that were not found
	 * yet. */
	uint32_t *left = f->removed;

	for (uint32_t i = tree->node; i < tree->node + tree->nr_nodes; i++) {
		while (parent != NO_NODE && !left[parent])
			parent = f->parent[parent];
		f->parent[i] = parent;
		if (parent != NO_NODE)
			left[parent]--;
		left[i] = f->v->nodes[i].nr_children;
		parent = i;
	}
}

/* Return whether the node is a node that an earlier itv_fold_paths() added instead of removed
 * callees. */
static bool is_folded(const struct folding *f, uint32_t node)
{
	return f->v->nodes[node].frame == ITV_FRAME_FOLDED;
}

static uint64_t add_or_max(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Set .total of all nodes, set .removed to the number of all children, and mark in .kept the nodes
 * that are always removed: nodes ITV_FRAME_FOLDED and their descendants. */
static void find_totals(struct folding *f)
{
	for (uint32_t i = f->v->nr_nodes; i--; ) {
		f->total[i] = add_or_max(f->total[i], f->v->nodes[i].count);
		f->removed[i] = f->v->nodes[i].nr_children;
		if (f->parent[i] != NO_NODE)
			f->total[f->parent[i]] = add_or_max(f->total[f->parent[i]], f->total[i]);
	}
	for (uint32_t i = 0; i < f->v->nr_nodes; i++)
		f->kept[i] = is_folded(f, i) || (f->parent[i] != NO_NODE && f->kept[f->parent[i]]);
}

/* An item of the list of nodes whose totals are SMALL or more. */
struct large {
	uint64_t total;
	uint32_t node;
};

static int compare_large(const void *a, const void *b)
{
	const struct large *x = a, *y = b;
	int order = op_compare_u64(y->total, x->total);

	return order ? order : op_compare_u64(x->node, y->node);
}

/* Append to .order the nodes whose totals are SMALL or more, in descending order of the totals. */
static int order_large(struct folding *f)
{
	struct large *large;
	size_t nr = 0;

	for (uint32_t i = 0; i < f->v->nr_nodes; i++)
		nr += !f->kept[i] && f->total[i] >= SMALL;
	large = itv_new_list(nr, sizeof(*large));
	if (!large)
		return -ENOMEM;
	nr = 0;
	for (uint32_t i = 0; i < f->v->nr_nodes; i++) {
		if (!f->kept[i] && f->total[i] >= SMALL)
			large[nr++] = (struct large){ f->total[i], i };
	}
	qsort(large, nr, sizeof(*large), compare_large);
	for (size_t i = 0; i < nr; i++)
		f->order[f->nr_order++] = large[i].node;
	free(large);
	return 0;
}

/* Set .order: sort the nodes by descending totals, and nodes with equal totals by ascending
 * indices. So a parent precedes its children. */
static int order_nodes(struct folding *f)
{
	uint32_t *at = itv_new_list(SMALL, sizeof(*at)), next;
	int err = at ? order_large(f) : -ENOMEM;

	if (err) {
		free(at);
		return err;
	}
	for (uint32_t i = 0; i < f->v->nr_nodes; i++) {
		if (!f->kept[i] && f->total[i] < SMALL)
			at[f->total[i]]++;
	}
	next = f->nr_order;
	for (uint32_t total = SMALL; total--; ) {
		const uint32_t nr = at[total];

		at[total] = next;
		next += nr;
	}
	for (uint32_t i = 0; i < f->v->nr_nodes; i++) {
		if (!f->kept[i] && f->total[i] < SMALL)
			f->order[at[f->total[i]]++] = i;
	}
	f->nr_order = next;
	free(at);
	return 0;
}

/* Keep nodes, in the sequence of .order, as long as the kept nodes and their children
 * ITV_FRAME_FOLDED are at most @max_nodes. Keeping a node never decreases this number, so stop at
 * the first node that exceeds the limit. */
static void keep_nodes(struct folding *f, uint32_t max_nodes)
{
	uint64_t nr = 0;

	memset(f->kept, 0, f->v->nr_nodes * sizeof(*f->kept));
	for (uint32_t i = 0; i < f->nr_order; i++) {
		const uint32_t node = f->order[i], parent = f->parent[node];
		uint64_t with = nr + 1 + (f->removed[node] > 0);

		if (parent != NO_NODE && f->removed[parent] == 1)
			with--;
		if (with > max_nodes)
			break;
		nr = with;
		f->kept[node] = true;
		if (parent != NO_NODE)
			f->removed[parent]--;
	}
}

/*
 * Copy the kept nodes of a tree. @folded, @folded_roots: numbers of samples of the removed nodes
 * below each kept node, and of removed roots. @number: array for the index of each kept node in the
 * new tree.
 */
static void copy_tree(const struct folding *f, const struct itv_tree *tree, const uint64_t *folded,
		      uint64_t folded_roots, uint32_t *number, struct itv *to)
{
	struct itv_tree *new = &to->trees[to->nr_trees++];

	*new = *tree;
	new->node = to->nr_nodes;
	new->nr_roots = 0;
	if (folded_roots) {
		to->nodes[to->nr_nodes++] = (struct itv_node){ .count = folded_roots,
							       .frame = ITV_FRAME_FOLDED };
		new->nr_roots++;
	}
	for (uint32_t i = tree->node; i < tree->node + tree->nr_nodes; i++) {
		const struct itv_node *node = &f->v->nodes[i];

		if (!f->kept[i])
			continue;
		if (f->parent[i] == NO_NODE)
			new->nr_roots++;
		else
			to->nodes[number[f->parent[i]]].nr_children++;
		number[i] = to->nr_nodes;
		to->nodes[to->nr_nodes++] = (struct itv_node){ .count = node->count,
							       .frame = node->frame };
		if (!folded[i])
			continue;
		to->nodes[number[i]].nr_children++;
		to->nodes[to->nr_nodes++] = (struct itv_node){ .count = folded[i],
							       .frame = ITV_FRAME_FOLDED };
	}
	new->nr_nodes = to->nr_nodes - new->node;
}

/* Copy the kept nodes of all trees to *@to. This overwrites .total, .order and .parent. */
static void copy_trees(struct folding *f, struct itv *to)
{
	uint64_t *folded = f->total;
	uint32_t *number = f->order;

	memset(folded, 0, f->v->nr_nodes * sizeof(*folded));
	for (uint32_t t = 0; t < f->v->nr_trees; t++) {
		const struct itv_tree *tree = &f->v->trees[t];
		uint64_t folded_roots = 0;

		for (uint32_t i = tree->node; i < tree->node + tree->nr_nodes; i++) {
			uint32_t *parent = &f->parent[i];

			/* .parent of the parent was already replaced by a kept node, because the
			 * parent has a lower index. */
			if (*parent != NO_NODE && !f->kept[*parent])
				*parent = f->parent[*parent];
			if (f->kept[i])
				continue;
			if (*parent == NO_NODE)
				folded_roots += f->v->nodes[i].count;
			else
				folded[*parent] += f->v->nodes[i].count;
		}
		copy_tree(f, tree, folded, folded_roots, number, to);
	}
}

/* Return an upper limit of the number of tree nodes that are left after the reduction. */
static size_t count_kept(const struct folding *f)
{
	size_t nr = f->v->nr_trees;

	for (uint32_t i = 0; i < f->v->nr_nodes; i++)
		nr += f->kept[i] ? 1 + (f->removed[i] > 0) : 0;
	return nr;
}

/* Replace the trees of the interval @v by the trees of *@to, and leave *@to empty. */
static int replace_trees(struct itv *v, struct itv *to)
{
	struct itv old = *v;
	uint64_t folded = 0;
	int err;

	v->trees = to->trees;
	v->nr_trees = to->nr_trees;
	v->nodes = to->nodes;
	v->nr_nodes = to->nr_nodes;
	err = itv_drop_unused(v);
	if (err) {
		*v = old;
		return err;
	}
	free(old.trees);
	free(old.nodes);
	for (uint32_t i = 0; i < v->nr_nodes; i++)
		folded += v->nodes[i].frame == ITV_FRAME_FOLDED ? v->nodes[i].count : 0;
	v->accounting.folded = folded;
	*to = (struct itv){ 0 };
	return 0;
}

int itv_fold_paths(struct itv *v, uint32_t max_nodes)
{
	struct itv to = { 0 };
	struct folding f;
	int err;

	if (v->nr_nodes <= max_nodes)
		return 0;
	err = folding_init(&f, v);
	if (!err) {
		for (uint32_t i = 0; i < v->nr_trees; i++)
			find_parents(&f, &v->trees[i]);
		find_totals(&f);
		err = order_nodes(&f);
	}
	if (!err) {
		keep_nodes(&f, max_nodes);
		to.nodes = itv_new_list(count_kept(&f), sizeof(*to.nodes));
		to.trees = itv_new_list(v->nr_trees, sizeof(*to.trees));
		err = to.nodes && to.trees ? 0 : -ENOMEM;
	}
	if (!err) {
		copy_trees(&f, &to);
		err = replace_trees(v, &to);
	}
	folding_release(&f);
	itv_release(&to);
	return err;
}

/* Return a malloc'd copy of the list @list, or NULL if the allocation fails. */
static void *copy_list(const void *list, size_t nr, size_t size)
{
	void *copy = itv_new_list(nr, size);

	if (copy && nr)
		memcpy(copy, list, nr * size);
	return copy;
}

/* Round the address *@key in @image down, to the precision @precision. Return whether the address
 * changes. */
static bool replace(uint64_t *key, const struct itv_image *image, enum itv_precision precision,
		    const struct itv_places *places)
{
	const uint64_t old = *key;

	*key = places->replace(places->arg, image, old, precision);
	return *key != old;
}

/* Round the addresses of all cells and frames of the interval. Return whether at least one address
 * changes. */
static bool replace_addresses(struct itv *v, enum itv_precision precision,
			      const struct itv_places *places)
{
	bool changes = false;

	for (uint32_t i = 0; i < v->nr_groups; i++) {
		const struct itv_group *g = &v->groups[i];

		for (uint32_t n = g->cell; n < g->cell + g->nr_cells; n++)
			changes |= replace(&v->cells[n].key, &v->images[g->image], precision,
					   places);
	}
	for (uint32_t i = 0; i < v->nr_frames; i++) {
		struct itv_frame *frame = &v->frames[i];

		/* Do not round the offset of a pseudo frame for the end of a path: this offset is
		 * not an address. */
		if (frame->image && !op_path_is_end(frame->how))
			changes |= replace(&frame->offset, &v->images[frame->image - 1], precision,
					   places);
	}
	return changes;
}

int itv_fold_addresses(struct itv *v, enum itv_precision precision, const struct itv_places *places)
{
	struct itv folded = *v, lists = { 0 };
	bool changes = false;
	int err;

	if (precision <= v->accounting.precision)
		return 0;
	folded.cells = copy_list(v->cells, v->nr_cells, sizeof(*v->cells));
	folded.frames = copy_list(v->frames, v->nr_frames, sizeof(*v->frames));
	err = folded.cells && folded.frames ? 0 : -ENOMEM;
	if (!err)
		changes = replace_addresses(&folded, precision, places);
	if (changes)
		err = itv_sorted_lists(&folded, &lists);
	free(folded.cells);
	free(folded.frames);
	if (err) {
		itv_release(&lists);
		return err;
	}
	if (!changes)
		return 0;
	itv_replace_lists(v, &lists);
	v->accounting.precision = precision;
	return 0;
}
