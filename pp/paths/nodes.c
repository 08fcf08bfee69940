// SPDX-License-Identifier: GPL-2.0-or-later
/* nodes.c -- nodes of a calling context tree that is being built. */
#include "config.h"
#include "pp/paths/nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "pp/base/block.h"
#include "pp/profile/arcs.h"

#define FIRST_SIZE	1024
#define MAX_NODES	(1u << 30)
/* maximum length of the linked list of a node's children; further children are found by the hash
 * table */
#define MAX_LISTED	8

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

static void put_in_index(struct pp_path_nodes *nodes, uint32_t i)
{
	const struct pp_path_node *node = &nodes->paths->nodes[i];
	size_t at = slot_of(nodes, node->parent, node->place);

	while (nodes->index[at])
		at = (at + 1) & (nodes->size - 1);
	nodes->index[at] = i;
}

static int grow_index(struct pp_path_nodes *nodes)
{
	uint32_t *old = nodes->index;
	size_t old_size = nodes->size;

	nodes->index = calloc(2 * old_size, sizeof(*nodes->index));
	if (!nodes->index) {
		nodes->index = old;
		return -ENOMEM;
	}
	nodes->size = 2 * old_size;
	for (size_t i = 0; i < old_size; i++)
		if (old[i])
			put_in_index(nodes, old[i]);
	free(old);
	return 0;
}

/* Return the first node, from @node towards the root, that refers to @place, which is a function,
 * for example. Return the root if no such node exists. */
static uint32_t find_above(const struct pp_paths *paths, uint32_t node, uint32_t place)
{
	while (node != PP_PATH_ROOT && paths->nodes[node].place != place)
		node = paths->nodes[node].parent;
	return node;
}

/* Return the child of @parent that refers to @place, a function for example, or the root if no such
 * child exists. */
static uint32_t find_child(const struct pp_path_nodes *nodes, uint32_t parent, uint32_t place)
{
	const struct pp_path_node *all = nodes->paths->nodes;

	for (uint32_t i = all[parent].first; i; i = all[i].next)
		if (all[i].place == place)
			return i;
	if (all[parent].nr <= MAX_LISTED)
		return PP_PATH_ROOT;
	for (size_t at = slot_of(nodes, parent, place); nodes->index[at];
	     at = (at + 1) & (nodes->size - 1)) {
		uint32_t i = nodes->index[at];

		if (all[i].parent == parent && all[i].place == place)
			return i;
	}
	return PP_PATH_ROOT;
}

static int add_child(struct pp_path_nodes *nodes, uint32_t parent, uint32_t place, uint32_t *ret)
{
	struct pp_paths *paths = nodes->paths;
	uint32_t number = paths->nr_nodes;
	struct pp_path_node *above, *node;

	if (number >= MAX_NODES || op_grow(&paths->nodes, number))
		return -ENOMEM;
	paths->nr_nodes++;
	above = &paths->nodes[parent];
	node = &paths->nodes[number];
	*node = (struct pp_path_node){
		.parent = parent, .place = place, .depth = above->depth + 1
	};
	*ret = number;
	if (above->nr++ < MAX_LISTED) {
		node->next = above->first;
		above->first = number;
		return 0;
	}
	put_in_index(nodes, number);
	return ++nodes->nr_indexed * 4 > nodes->size * 3 ? grow_index(nodes) : 0;
}

int pp_path_child(struct pp_path_nodes *nodes, uint32_t parent, uint32_t place, uint32_t *ret)
{
	const struct pp_paths *paths = nodes->paths;
	uint32_t found;

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
	found = find_child(nodes, parent, place);
	if (found == PP_PATH_ROOT)
		return add_child(nodes, parent, place, ret);
	*ret = found;
	return 0;
}

uint64_t *pp_path_counts(struct pp_path_nodes *nodes, uint32_t node)
{
	struct pp_path_node *n = &nodes->paths->nodes[node];

	if (!n->self)
		n->self = pp_block_alloc(nodes->blocks, nodes->nr_counts);
	return n->self;
}

/* The following functions look up the nodes of programs by title. */

static int compare_titles(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int pp_path_programs_init(struct pp_path_programs *programs, const struct pp_profile *profile,
			  const struct pp_session *session)
{
	const struct pp_files *files = &session->files;
	size_t max = files->nr_trees + profile->nr_groups, nr = 0;

	programs->titles = calloc(max + 1, sizeof(*programs->titles));
	programs->nodes = calloc(max + 1, sizeof(*programs->nodes));
	if (!programs->titles || !programs->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < files->nr_trees; i++)
		programs->titles[nr++] = files->trees[i].app;
	for (size_t i = 0; i < profile->nr_groups; i++)
		programs->titles[nr++] = profile->groups[i].app;
	if (nr)
		qsort(programs->titles, nr, sizeof(*programs->titles), compare_titles);
	for (size_t i = 0; i < nr; i++)
		if (!i || strcmp(programs->titles[i], programs->titles[programs->nr - 1]))
			programs->titles[programs->nr++] = programs->titles[i];
	return 0;
}

void pp_path_programs_release(struct pp_path_programs *programs)
{
	free(programs->titles);
	free(programs->nodes);
	*programs = (struct pp_path_programs){ 0 };
}

size_t pp_path_program_index(const struct pp_path_programs *programs, const char *title)
{
	return op_partition_point(i, programs->nr, strcmp(programs->titles[i], title) < 0);
}

int pp_path_program(struct pp_path_programs *programs, struct pp_path_nodes *nodes,
		    const char *title, uint32_t *ret)
{
	size_t i = pp_path_program_index(programs, title);
	struct pp_place place = {
		.name = programs->titles[i], .code = PP_NO_CODE, .kind = PP_PLACE_PROGRAM};
	uint32_t number;
	int err = 0;

	if (!programs->nodes[i]) {
		err = pp_path_place_add(nodes, &place, &number);
		if (!err)
			err = pp_path_child(nodes, PP_PATH_ROOT, number, &programs->nodes[i]);
	}
	if (!err)
		*ret = programs->nodes[i];
	return err;
}
