// SPDX-License-Identifier: GPL-2.0-or-later
/* prune.c -- a copy of a calling context tree without some of its branches. One node below the root
 * sums the removed branches. */
#include "config.h"
#include "pp/paths/trees.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libop/base/plural.h"
#include "pp/base/block.h"
#include "pp/paths/nodes.h"
#include "pp/profile/arcs.h"

/* Number and sum of the branches that the copy omits. */
struct branches {
	uint64_t *counts;
	size_t nr;
};

/* Copy the nodes to keep, and sum the counts of the other nodes. @at: an array for the new index of
 * each node. */
static int copy_nodes(struct pp_path_nodes *nodes, struct branches *out,
		      const struct pp_paths *paths, const bool *kept, size_t nr_counts,
		      uint32_t *at)
{
	uint64_t *counts;
	int err = 0;

	for (size_t i = 1; i < paths->nr_nodes && !err; i++) {
		const struct pp_path_node *node = &paths->nodes[i];

		if (!kept[i]) {
			if (node->parent != PP_PATH_ROOT && !kept[node->parent])
				continue;
			for (size_t c = 0; c < nr_counts; c++)
				out->counts[c] += node->total[c];
			out->nr++;
			continue;
		}
		err = pp_path_child(nodes, at[node->parent], at[paths->nr_nodes + node->place],
				    &at[i]);
		if (err)
			break;
		nodes->paths->nodes[at[i]].by_pointer |= node->by_pointer;
		counts = node->self ? pp_path_counts(nodes, at[i]) : NULL;
		if (node->self && !counts)
			err = -ENOMEM;
		for (size_t c = 0; counts && c < nr_counts; c++)
			counts[c] += node->self[c];
	}
	return err;
}

static int add_sum(struct pp_path_nodes *nodes, const struct branches *out, const char *format,
		   size_t nr_counts, struct pp_block **blocks)
{
	char text[64];
	struct pp_place place = { .code = PP_NO_CODE, .kind = PP_PLACE_PROGRAM };
	uint32_t number, node;
	uint64_t *counts;

	if (!out->nr)
		return 0;
	snprintf(text, sizeof(text), format, out->nr, op_plural(out->nr, "branch", "branches"));
	place.name = pp_strings_add(blocks, text);
	if (!place.name || pp_path_place_add(nodes, &place, &number) ||
	    pp_path_child(nodes, PP_PATH_ROOT, number, &node))
		return -ENOMEM;
	counts = pp_path_counts(nodes, node);
	for (size_t c = 0; counts && c < nr_counts; c++)
		counts[c] += out->counts[c];
	return counts ? 0 : -ENOMEM;
}

int pp_paths_prune(struct pp_paths **ret, const struct pp_paths *paths,
		   const struct pp_profile *profile, const bool *kept, const char *format,
		   struct pp_block **blocks)
{
	const size_t nr = profile->nr_counts;
	/* the new index of each node, followed by the new number of each place (function or the
	 * like) */
	uint32_t *at = calloc(paths->nr_nodes + paths->nr_places + 1, sizeof(*at));
	struct branches out = { .counts = calloc(nr + 1, sizeof(*out.counts)) };
	struct pp_path_nodes nodes;
	int err = pp_path_nodes_init(&nodes, blocks, nr);

	if (!at || !out.counts)
		err = -ENOMEM;
	for (size_t i = 0; i < paths->nr_places && !err; i++)
		err = pp_path_place_add(&nodes, &paths->places[i], &at[paths->nr_nodes + i]);
	if (!err)
		err = copy_nodes(&nodes, &out, paths, kept, nr, at);
	if (!err)
		err = add_sum(&nodes, &out, format, nr, blocks);
	if (!err)
		err = pp_paths_finish(nodes.paths, profile, blocks);
	if (!err)
		*ret = pp_path_nodes_finish(&nodes);
	pp_path_nodes_release(&nodes);
	free(out.counts);
	free(at);
	return err;
}
