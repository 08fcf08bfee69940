// SPDX-License-Identifier: GPL-2.0-or-later
/* path_nodes.c -- finds and makes nodes. */
#include "config.h"
#include "pp/profile/path_nodes.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "pp/profile/arcs.h"
#include "pp/base/block.h"

#define FIRST_SIZE	1024
#define MAX_NODES	(1u << 30)

int pp_path_nodes_init(struct pp_path_nodes *nodes, struct pp_block **blocks, size_t nr_counts)
{
	const struct pp_place root = { .code = PP_NO_CODE, .kind = PP_PLACE_ROOT },
			      too_deep = { .code = PP_NO_CODE, .kind = PP_PLACE_TOO_DEEP };
	uint32_t place;
	int err;

	*nodes = (struct pp_path_nodes){ .blocks = blocks, .nr_counts = nr_counts };
	nodes->paths = calloc(1, sizeof(*nodes->paths));
	nodes->index = calloc(FIRST_SIZE, sizeof(*nodes->index));
	if (!nodes->paths || !nodes->index)
		return -ENOMEM;
	nodes->size = FIRST_SIZE;
	err = op_grow(&nodes->paths->nodes, 0);
	if (!err)
		err = pp_path_place_add(nodes, &root, &place);
	if (!err)
		err = pp_path_place_add(nodes, &too_deep, &nodes->too_deep);
	if (err)
		return err;
	nodes->paths->nodes[PP_PATH_ROOT] = (struct pp_path_node){ .place = place };
	nodes->paths->nr_nodes = 1;
	return 0;
}

struct pp_paths *pp_path_nodes_finish(struct pp_path_nodes *nodes)
{
	struct pp_paths *paths = nodes->paths;

	nodes->paths = NULL;
	pp_path_nodes_release(nodes);
	return paths;
}

void pp_path_nodes_release(struct pp_path_nodes *nodes)
{
	pp_paths_free(nodes->paths);
	free(nodes->index);
	*nodes = (struct pp_path_nodes){ 0 };
}

int pp_path_place_add(struct pp_path_nodes *nodes, const struct pp_place *place, uint32_t *ret)
{
	struct pp_paths *paths = nodes->paths;

	if (paths->nr_places >= MAX_NODES || op_grow(&paths->places, paths->nr_places))
		return -ENOMEM;
	paths->places[paths->nr_places] = *place;
	*ret = paths->nr_places++;
	return 0;
}

static size_t slot_of(const struct pp_path_nodes *nodes, uint32_t parent, uint32_t place)
{
	uint64_t h = ((uint64_t)parent << 32 | place) * 0x9e3779b97f4a7c15;

	h = (h ^ (h >> 32)) * 0xbf58476d1ce4e5b9;
	return (h ^ (h >> 29)) & (nodes->size - 1);
}

static int grow_index(struct pp_path_nodes *nodes)
{
	const struct pp_paths *paths = nodes->paths;
	uint32_t *old = nodes->index;

	nodes->index = calloc(2 * nodes->size, sizeof(*nodes->index));
	if (!nodes->index) {
		nodes->index = old;
		return -ENOMEM;
	}
	free(old);
	nodes->size *= 2;
	for (uint32_t i = 1; i < paths->nr_nodes; i++) {
		size_t at = slot_of(nodes, paths->nodes[i].parent, paths->nodes[i].place);

		while (nodes->index[at])
			at = (at + 1) & (nodes->size - 1);
		nodes->index[at] = i;
	}
	return 0;
}

/* Finds the nearest node with the place, @node itself or one above it. The root: there is none. */
static uint32_t find_above(const struct pp_paths *paths, uint32_t node, uint32_t place)
{
	while (node != PP_PATH_ROOT && paths->nodes[node].place != place)
		node = paths->nodes[node].parent;
	return node;
}

int pp_path_child(struct pp_path_nodes *nodes, uint32_t parent, uint32_t place, uint32_t *ret)
{
	struct pp_paths *paths = nodes->paths;
	size_t at;

	if (paths->places[place].nameless && paths->nodes[parent].place == place) {
		*ret = parent;
		return 0;
	}
	if (nodes->fold_recursion && paths->places[place].kind <= PP_PLACE_INLINED) {
		uint32_t above = find_above(paths, parent, place);

		if (above != PP_PATH_ROOT) {
			*ret = above;
			return 0;
		}
	}
	if (paths->nodes[parent].depth >= PP_PATH_MAX_DEPTH) {
		if (paths->nodes[parent].place == nodes->too_deep) {
			*ret = parent;
			return 0;
		}
		place = nodes->too_deep;
	}
	for (at = slot_of(nodes, parent, place); nodes->index[at]; at = (at + 1) & (nodes->size - 1)) {
		const struct pp_path_node *node = &paths->nodes[nodes->index[at]];

		if (node->parent == parent && node->place == place) {
			*ret = nodes->index[at];
			return 0;
		}
	}
	if (paths->nr_nodes >= MAX_NODES || op_grow(&paths->nodes, paths->nr_nodes))
		return -ENOMEM;
	*ret = paths->nr_nodes;
	paths->nodes[paths->nr_nodes++] = (struct pp_path_node){
		.parent = parent, .place = place, .depth = paths->nodes[parent].depth + 1,
	};
	nodes->index[at] = *ret;
	return paths->nr_nodes * 4 > nodes->size * 3 ? grow_index(nodes) : 0;
}

uint64_t *pp_path_counts(struct pp_path_nodes *nodes, uint32_t node)
{
	struct pp_path_node *n = &nodes->paths->nodes[node];

	if (!n->self)
		n->self = pp_block_alloc(nodes->blocks, nodes->nr_counts);
	return n->self;
}
