// SPDX-License-Identifier: GPL-2.0-or-later
/* flame.c -- lays out a snapshot's tree of call paths as a flame graph of character cells. */
#include "config.h"
#include "pp/top/flame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/hash.h"

/* The horizontal position of a node during the layout. The unit is samples. */
struct place {
	/* .begin: left edge of the node; .next: left edge of its next child */
	uint64_t begin, next;
	uint32_t depth;
	/* the node is the zoomed node or a descendant of the zoomed node */
	uint32_t inside;
};

static int compare_siblings(const void *a, const void *b, void *arg)
{
	const struct pp_top_node *nodes = arg, *x = &nodes[*(const uint32_t *)a],
				 *y = &nodes[*(const uint32_t *)b];
	int d;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	d = strcmp(x->name, y->name);
	return d ? d : *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static int compare_cells(const void *a, const void *b)
{
	const struct pp_top_cell *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->x < y->x ? -1 : x->x > y->x;
}

static int add_cell(struct pp_top_flame *flame, const struct pp_top_snapshot *snapshot,
		    const struct place *place, uint32_t node, unsigned int columns)
{
	uint64_t all = snapshot->nodes[flame->zoom].total, total = snapshot->nodes[node].total;
	unsigned int x = place->begin * columns / all,
		     end = (place->begin + total) * columns / all;

	if (end == x)
		return 0;
	if (op_grow(&flame->cells, flame->nr))
		return -ENOMEM;
	flame->cells[flame->nr++] = (struct pp_top_cell){
		.node = node, .x = x, .width = end - x, .depth = place->depth,
		.path = flame->paths[node],
	};
	return 0;
}

static void hash_paths(struct pp_top_flame *flame, const struct pp_top_snapshot *snapshot,
		       uint64_t zoom)
{
	for (size_t i = 0; i < snapshot->nr_nodes; i++) {
		const struct pp_top_node *node = &snapshot->nodes[i];

		flame->paths[i] = !i ? OP_HASH_BEGIN :
				op_hash_text(op_hash_number(flame->paths[node->parent], 0),
					     node->name);
		if (flame->paths[i] == zoom && node->total)
			flame->zoom = i;
	}
}

/* Compute the positions of the zoomed node and its descendants. @order: all nodes except the root,
 * sorted by the number of their parent. So siblings are adjacent, and a parent precedes its
 * children. */
static int place_nodes(struct pp_top_flame *flame, const struct pp_top_snapshot *snapshot,
		       struct place *places, const uint32_t *order, unsigned int columns,
		       unsigned int lines)
{
	int err;

	places[flame->zoom].inside = 1;
	err = add_cell(flame, snapshot, &places[flame->zoom], flame->zoom, columns);
	for (size_t i = 0; i + 1 < snapshot->nr_nodes && !err; i++) {
		uint32_t node = order[i];
		struct place *parent = &places[snapshot->nodes[node].parent];
		struct place *place = &places[node];

		if (!parent->inside)
			continue;
		place->inside = 1;
		place->depth = parent->depth + 1;
		place->begin = place->next = parent->next;
		parent->next += snapshot->nodes[node].total;
		if (place->depth < lines)
			err = add_cell(flame, snapshot, place, node, columns);
	}
	return err;
}

int pp_top_flame_make(struct pp_top_flame *ret, const struct pp_top_snapshot *snapshot,
		      uint64_t zoom, unsigned int columns, unsigned int lines)
{
	size_t nr = snapshot->nr_nodes;
	struct pp_top_flame flame = { .paths = calloc(nr + 1, sizeof(*flame.paths)) };
	struct place *places = calloc(nr + 1, sizeof(*places));
	uint32_t *order = calloc(nr + 1, sizeof(*order));
	int err = flame.paths && places && order ? 0 : -ENOMEM;

	if (!err && nr && snapshot->nodes[0].total) {
		hash_paths(&flame, snapshot, zoom);
		for (size_t i = 1; i < nr; i++)
			order[i - 1] = i;
		qsort_r(order, nr - 1, sizeof(*order), compare_siblings, snapshot->nodes);
		err = place_nodes(&flame, snapshot, places, order, columns, lines);
	}
	if (!err && flame.nr)
		qsort(flame.cells, flame.nr, sizeof(*flame.cells), compare_cells);
	free(places);
	free(order);
	if (err)
		pp_top_flame_release(&flame);
	else
		*ret = flame;
	return err;
}

void pp_top_flame_release(struct pp_top_flame *flame)
{
	free(flame->cells);
	free(flame->paths);
	*flame = (struct pp_top_flame){ 0 };
}
