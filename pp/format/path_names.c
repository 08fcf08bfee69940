// SPDX-License-Identifier: GPL-2.0-or-later
/* path_names.c -- names for the nodes of call paths, and selection of the nodes with most
 * samples. */
#include "config.h"
#include "pp/format/path_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/search.h"
#include "pp/base/block.h"
#include "pp/join/certainty.h"
#include "pp/paths/trees.h"

/* Return the image's name if @place, an element of call paths, is code without a symbol, else
 * NULL. */
static const char *image_of(const struct pp_path_names *names, const struct pp_place *place)
{
	const struct pp_profile *profile = names->stacks.profile;
	const struct pp_code *code =
		place->kind == PP_PLACE_CODE || place->kind == PP_PLACE_WAKER ?
			&profile->codes[place->code] : NULL;

	if (!code || (code->kind != PP_CODE_IMAGE && code->kind != PP_CODE_RAW))
		return NULL;
	return pp_stack_title(&names->stacks, profile->binaries[code->binary].title);
}

static const char *name_of(const struct pp_path_names *names, uint32_t index)
{
	const struct pp_place *place = &names->paths->places[index];

	if (names->own_names[index])
		return names->own_names[index];
	switch (place->kind) {
	case PP_PLACE_PROGRAM:
	case PP_PLACE_IMAGE:
		return pp_stack_title(&names->stacks, place->name);
	case PP_PLACE_CODE:
		return pp_stack_code_name(&names->stacks,
					  &names->stacks.profile->codes[place->code]);
	case PP_PLACE_INLINED:
		return place->name;
	default:
		return pp_place_word(place->kind);
	}
}

/* Store the name of the waker @place in *@ret, malloc'd. @image: the image's name if the waker's
 * code has no symbol, else NULL. Return a negative number if out of memory. */
static int name_waker(char **ret, const struct pp_path_names *names, const struct pp_place *place,
		      const char *image)
{
	const char *program = pp_stack_title(&names->stacks, place->name);

	if (image)
		return asprintf(ret, "woken by %s [%s]", program, image);
	return asprintf(ret, "woken by %s %s", program,
			pp_stack_code_name(&names->stacks,
					   &names->stacks.profile->codes[place->code]));
}

static int make_names(struct pp_path_names *names)
{
	const struct pp_paths *paths = names->paths;

	names->own_names = calloc(paths->nr_places + 1, sizeof(*names->own_names));
	names->texts = calloc(paths->nr_places + 1, sizeof(*names->texts));
	if (!names->own_names || !names->texts)
		return -1;
	for (size_t i = 0; i < paths->nr_places; i++) {
		const char *title = image_of(names, &paths->places[i]);
		int len = 0;

		if (paths->places[i].kind == PP_PLACE_SHORT)
			len = asprintf(&names->own_names[i], "[path ends: %s]",
				       paths->places[i].name);
		else if (paths->places[i].kind == PP_PLACE_WAKER)
			len = name_waker(&names->own_names[i], names, &paths->places[i], title);
		else if (title)
			len = asprintf(&names->own_names[i], "[%s]", title);
		if (len < 0) {
			names->own_names[i] = NULL;
			return -1;
		}
		names->texts[i].text = name_of(names, i);
		names->texts[i].len = strlen(names->texts[i].text);
	}
	return 0;
}

/* Remove branches without a significant change from the tree of call paths. Return 0 or -ENOMEM. */
static int prune(struct pp_path_names *names, const struct pp_report *report)
{
	const struct pp_paths *paths = names->paths;
	const struct pp_profile *diff = report->profile;
	bool *kept = calloc(paths->nr_nodes + 1, sizeof(*kept));
	struct pp_paths *pruned;
	int err;

	if (!kept)
		return -ENOMEM;
	/* children have larger numbers than their parents, so a descending loop visits children
	 * first */
	for (size_t i = paths->nr_nodes; i-- > 1;) {
		if (!kept[i])
			kept[i] = pp_change_is_significant(diff, paths->nodes[i].total,
							   report->options->certainty);
		if (kept[i])
			kept[paths->nodes[i].parent] = true;
	}
	err = pp_paths_prune(&pruned, paths, diff, kept, PP_NOT_SIGNIFICANT, &names->blocks);
	free(kept);
	if (err)
		return err;
	pp_paths_free(names->own);
	names->paths = names->own = pruned;
	return 0;
}

static int make(struct pp_path_names *ret, const struct pp_report *report, bool is_pruned)
{
	const struct pp_profile *profile = report->profile;
	struct pp_path_names names = { .paths = profile->paths };
	int err = pp_stacks_make(&names.stacks, report);

	if (err)
		return err;
	if (!names.paths && pp_paths_of_flat(&names.own, profile, &names.blocks))
		err = -ENOMEM;
	if (!names.paths)
		names.paths = names.own;
	if (!err && is_pruned && report->profile->diff)
		err = prune(&names, report);
	if (!err && make_names(&names))
		err = -ENOMEM;
	if (err)
		pp_path_names_release(&names);
	else
		*ret = names;
	return err;
}

int pp_path_names_make(struct pp_path_names *ret, const struct pp_report *report)
{
	return make(ret, report, false);
}

int pp_path_names_make_significant(struct pp_path_names *ret, const struct pp_report *report)
{
	return make(ret, report, report->options->significant);
}

void pp_path_names_release(struct pp_path_names *names)
{
	for (size_t i = 0; names->own_names && i < names->paths->nr_places; i++)
		free(names->own_names[i]);
	free(names->own_names);
	free(names->texts);
	pp_paths_free(names->own);
	pp_block_free(names->blocks);
	if (names->stacks.profile)
		pp_stacks_release(&names->stacks);
	*names = (struct pp_path_names){ 0 };
}

const char *pp_path_place_path(const struct pp_path_names *names, uint32_t index)
{
	const struct pp_profile *profile = names->stacks.profile;
	const struct pp_place *place = &names->paths->places[index];

	switch (place->kind) {
	case PP_PLACE_PROGRAM:
	case PP_PLACE_IMAGE:
		return place->name;
	case PP_PLACE_CODE:
	case PP_PLACE_INLINED:
	case PP_PLACE_WAKER:
		return profile->binaries[profile->codes[place->code].binary].title;
	default:
		return "";
	}
}

const struct pp_code *pp_path_place_code(const struct pp_path_names *names, uint32_t index)
{
	const struct pp_place *place = &names->paths->places[index];

	return place->kind == PP_PLACE_CODE ? &names->stacks.profile->codes[place->code] : NULL;
}

static uint64_t sum_of(const struct pp_path_names *names, uint32_t node)
{
	const uint64_t *total = names->paths->nodes[node].total;
	uint64_t sum = 0;

	for (size_t c = 0; c < pp_shown_counts(names->stacks.profile); c++)
		sum += total[c];
	return sum;
}

static int descending(const void *a, const void *b)
{
	return op_compare_u64_items(b, a);
}

/* A limit that selects nodes: all nodes with more than .above samples, and the first .nr_at nodes
 * with exactly .above samples. */
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

	if (place->kind == PP_PLACE_PROGRAM || (place->kind == PP_PLACE_WAKER && !place->is_kernel))
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
