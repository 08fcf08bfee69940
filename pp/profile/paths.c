// SPDX-License-Identifier: GPL-2.0-or-later
/* paths.c -- totals of the nodes of the calling context tree, and the order of the nodes. */
#include "config.h"
#include "pp/profile/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pp/base/block.h"
#include "pp/profile/profile.h"

const char *pp_place_word(enum pp_place_kind kind)
{
	static const char *const words[] = {
		[PP_PLACE_ROOT] = "all",
		[PP_PLACE_FOLDED] = "[folded]",
		[PP_PLACE_LOST] = "[lost]",
		[PP_PLACE_UNKNOWN] = "[frame not known]",
		[PP_PLACE_TOO_DEEP] = "[deeper frames]",
		[PP_PLACE_NO_PATH] = "[no path]",
	};

	return kind < sizeof(words) / sizeof(words[0]) ? words[kind] : NULL;
}

void pp_paths_free(struct pp_paths *paths)
{
	if (!paths)
		return;
	free(paths->places);
	free(paths->nodes);
	free(paths->children);
	free(paths);
}

/* Compute the total of each node. Children have larger numbers than their parent. So visit nodes
 * in descending order: the total of a node is complete before it is added to the total of the
 * parent. */
static int add_totals(struct pp_paths *paths, struct pp_block **blocks, size_t nr)
{

	for (size_t i = paths->nr_nodes; i-- > 0;) {
		struct pp_path_node *node = &paths->nodes[i], *above = &paths->nodes[node->parent];

		/* A leaf shares the array of its own counts as its total. The array for the total
		 * of a node with children was allocated when its last child was visited. */
		if (!node->total && node->self)
			node->total = node->self;
		else if (!node->total)
			node->total = pp_block_alloc(blocks, nr);
		else
			for (size_t c = 0; node->self && c < nr; c++)
				node->total[c] += node->self[c];
		if (i != PP_PATH_ROOT && !above->total)
			above->total = pp_block_alloc(blocks, nr);
		if (!node->total || !above->total)
			return -ENOMEM;
		for (size_t c = 0; i != PP_PATH_ROOT && c < nr; c++)
			above->total[c] += node->total[c];
	}
	return 0;
}

static const char *name_of(const struct pp_profile *profile, const struct pp_place *place)
{
	if (place->name)
		return place->name;
	return place->kind == PP_PLACE_CODE ? profile->codes[place->code].name : "";
}

static uint64_t sum_of(const struct pp_profile *profile, const uint64_t *counts)
{
	uint64_t sum = 0;

	for (size_t c = 0; c < profile->nr_counts; c++)
		sum += counts[c];
	return sum;
}

struct order {
	const struct pp_profile *profile;
	const struct pp_paths *paths;
};

/* Compare siblings by total, largest first. Compare equal totals by name, so that the result does
 * not depend on the order of the sample files. */
static int compare_children(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	const struct pp_profile *profile = order->profile;
	const struct pp_paths *paths = order->paths;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct pp_place *x = pp_path_place(paths, i), *y = pp_path_place(paths, j);
	uint64_t m = sum_of(profile, paths->nodes[i].total),
		 n = sum_of(profile, paths->nodes[j].total);
	int d;

	if (m != n)
		return m > n ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	d = strcmp(name_of(profile, x), name_of(profile, y));
	return d ? d : i < j ? -1 : i > j;
}

static int order_children(struct pp_paths *paths, const struct pp_profile *profile)
{
	struct order order = { profile, paths };
	uint32_t at = 0;

	paths->children = calloc(paths->nr_nodes + 1, sizeof(*paths->children));
	if (!paths->children)
		return -ENOMEM;
	for (size_t i = 0; i < paths->nr_nodes; i++) {
		paths->nodes[i].first = at;
		at += paths->nodes[i].nr;
		paths->nodes[i].nr = 0;
	}
	for (size_t i = 1; i < paths->nr_nodes; i++) {
		struct pp_path_node *above = &paths->nodes[paths->nodes[i].parent];

		paths->children[above->first + above->nr++] = i;
	}
	for (size_t i = 0; i < paths->nr_nodes; i++)
		if (paths->nodes[i].nr > 1)
			qsort_r(&paths->children[paths->nodes[i].first], paths->nodes[i].nr,
				sizeof(uint32_t), compare_children, &order);
	return 0;
}

int pp_paths_finish(struct pp_paths *paths, const struct pp_profile *profile,
		    struct pp_block **blocks)
{
	int err = add_totals(paths, blocks, profile->nr_counts);

	return err ? err : order_children(paths, profile);
}

void pp_path_walk_begin(struct pp_path_walk *walk, const struct pp_paths *paths)
{
	walk->paths = paths;
	walk->depth = 0;
	walk->nodes[0] = PP_PATH_ROOT;
	walk->next[0] = 0;
}

bool pp_path_walk_next(struct pp_path_walk *walk)
{
	const struct pp_paths *paths = walk->paths;

	for (;;) {
		const struct pp_path_node *node = &paths->nodes[walk->nodes[walk->depth]];

		if (walk->next[walk->depth] < node->nr) {
			uint32_t child = paths->children[node->first + walk->next[walk->depth]++];

			walk->depth++;
			walk->nodes[walk->depth] = child;
			walk->next[walk->depth] = 0;
			return true;
		}
		if (!walk->depth)
			return false;
		walk->depth--;
	}
}

void pp_path_walk_skip(struct pp_path_walk *walk)
{
	walk->next[walk->depth] = walk->paths->nodes[walk->nodes[walk->depth]].nr;
}
