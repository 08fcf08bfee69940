// SPDX-License-Identifier: GPL-2.0-or-later
/* path_pick.c -- choice of nodes by their samples. */
#include "config.h"
#include "pp/format/path_pick.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static uint64_t sum_of(const struct pp_path_names *names, uint32_t node)
{
	const uint64_t *total = names->paths->nodes[node].total;
	uint64_t sum = 0;

	for (size_t c = 0; c < names->stacks.profile->nr_counts; c++)
		sum += total[c];
	return sum;
}

static int descending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* Nodes with more samples than .above are picked, and the first .nr_at nodes with exactly
 * .above. */
struct limit {
	uint64_t above;
	size_t nr_at;
};

static int find_limit(struct limit *ret, const struct pp_path_names *names, size_t max)
{
	size_t nr = names->paths->nr_nodes;
	uint64_t *sums;

	*ret = (struct limit){ 0 };
	if (nr <= max)
		return 0;
	sums = calloc(nr, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		sums[i] = sum_of(names, i);
	qsort(sums, nr, sizeof(*sums), descending);
	ret->above = sums[max];
	for (size_t i = max; i && sums[i - 1] == ret->above; i--)
		ret->nr_at++;
	free(sums);
	return 0;
}

static bool takes(struct limit *limit, uint64_t sum, bool is_program)
{
	if (!sum)
		return false;
	if (sum > limit->above || is_program)
		return true;
	if (sum < limit->above || !limit->nr_at)
		return false;
	limit->nr_at--;
	return true;
}

static void pick_nodes(struct pp_path_pick *pick, struct pp_path_walk *walk,
		       const struct pp_path_names *names, struct limit *limit)
{
	uint32_t at[PP_PATH_MAX_DEPTH + 3];

	pp_path_walk_begin(walk, names->paths);
	while (pp_path_walk_next(walk)) {
		uint32_t node = walk->nodes[walk->depth];
		uint64_t sum = sum_of(names, node);

		if (!takes(limit, sum, walk->depth == 1)) {
			pick->nr_left_out += sum != 0;
			pp_path_walk_skip(walk);
			continue;
		}
		at[walk->depth] = pick->nr;
		pick->parent[pick->nr] = at[walk->depth > 1 ? walk->depth - 1 : 1];
		pick->nodes[pick->nr++] = node;
	}
}

int pp_path_pick_make(struct pp_path_pick *ret, const struct pp_path_names *names, size_t max)
{
	struct pp_path_walk *walk = malloc(sizeof(*walk));
	struct pp_path_pick pick = {
		.nodes = calloc(names->paths->nr_nodes + 1, sizeof(*pick.nodes)),
		.parent = calloc(names->paths->nr_nodes + 1, sizeof(*pick.parent)),
	};
	struct limit limit;
	int err = walk && pick.nodes && pick.parent ? find_limit(&limit, names, max) : -ENOMEM;

	if (!err)
		pick_nodes(&pick, walk, names, &limit);
	free(walk);
	if (err)
		pp_path_pick_release(&pick);
	else
		*ret = pick;
	return err;
}

void pp_path_pick_release(struct pp_path_pick *pick)
{
	free(pick->nodes);
	free(pick->parent);
	*pick = (struct pp_path_pick){ 0 };
}

enum pp_path_colour pp_path_colour(const struct pp_path_names *names, uint32_t node)
{
	const struct pp_path_node *n = &names->paths->nodes[node];
	const struct pp_place *place = &names->paths->places[n->place];
	const struct pp_code *code = pp_path_place_code(names, n->place);

	if (place->kind == PP_PLACE_PROGRAM)
		return PP_PATH_PROGRAM;
	if (pp_place_is_reason(place))
		return PP_PATH_REASON;
	if (place->kind == PP_PLACE_INLINED)
		return PP_PATH_INLINED;
	if (place->is_kernel)
		return PP_PATH_KERNEL;
	if (code && code->kind != PP_CODE_SYMBOL)
		return PP_PATH_UNCOVERED;
	return n->by_pointer ? PP_PATH_BY_POINTER : PP_PATH_USER;
}
