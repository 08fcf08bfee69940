// SPDX-License-Identifier: GPL-2.0-or-later
/* diff.c -- joins the calling context trees of two profiles to one tree. */
#include "config.h"
#include "pp/paths/trees.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pp/paths/nodes.h"

/* A place of one tree (a function, program or the like), with the names by which the same place is
 * looked up in the other tree. */
struct named {
	const char *name, *binary;
	const char *code;		/* only for wakers: name of the function */
	const struct pp_place *place;
	/* for each place (function or the like) of this tree: its index in the joined tree */
	uint32_t *becomes;
	/* index, in the joined profile, of the first code (function) of this profile */
	uint32_t first_code;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int d;

	if (x->place->kind != y->place->kind)
		return x->place->kind < y->place->kind ? -1 : 1;
	d = strcmp(x->name, y->name);
	d = d ? d : strcmp(x->code, y->code);
	return d ? d : strcmp(x->binary, y->binary);
}

static bool has_code(const struct pp_place *place)
{
	return place->kind == PP_PLACE_CODE || place->kind == PP_PLACE_INLINED ||
	       place->kind == PP_PLACE_WAKER;
}

static void name_places(struct named *named, const struct pp_profile *profile, uint32_t *becomes,
			uint32_t first_code)
{
	for (size_t i = 0; i < profile->paths->nr_places; i++) {
		const struct pp_place *place = &profile->paths->places[i];
		const bool is_waker = place->kind == PP_PLACE_WAKER;
		const struct pp_code *code = has_code(place) ? &profile->codes[place->code] : NULL;

		named[i] = (struct named){
			.name = place->name ? place->name : code ? code->name : "",
			.code = is_waker ? code->name : "",
			.binary = code ? profile->binaries[code->binary].title : "",
			.place = place, .becomes = &becomes[i], .first_code = first_code,
		};
	}
}

static int join_places(struct pp_path_nodes *nodes, struct named *named, size_t nr)
{
	uint32_t number = 0;
	int err = 0;

	qsort(named, nr, sizeof(*named), compare_named);
	for (size_t i = 0; i < nr && !err; i++) {
		struct pp_place place = *named[i].place;

		if (has_code(&place))
			place.code += named[i].first_code;
		if (!i || compare_named(&named[i - 1], &named[i]))
			err = pp_path_place_add(nodes, &place, &number);
		*named[i].becomes = number;
	}
	return err;
}

typedef void (*add_counts)(const struct pp_profile *diff, uint64_t *to, const uint64_t *from,
			   bool first);

/* Add the nodes of the tree of @profile to the joined tree of @diff. @becomes: for each place
 * (function or the like) of @profile, its index in the joined tree. */
static int add_nodes(struct pp_path_nodes *nodes, const struct pp_profile *diff,
		     const struct pp_profile *profile, const uint32_t *becomes, bool first,
		     add_counts add)
{
	const struct pp_paths *paths = profile->paths;
	uint32_t *at = calloc(paths->nr_nodes + 1, sizeof(*at));
	uint64_t *counts;
	int err = at ? 0 : -ENOMEM;

	for (size_t i = 1; i < paths->nr_nodes && !err; i++) {
		const struct pp_path_node *node = &paths->nodes[i];

		err = pp_path_child(nodes, at[node->parent], becomes[node->place], &at[i]);
		if (err)
			break;
		nodes->paths->nodes[at[i]].by_pointer |= node->by_pointer;
		counts = node->self ? pp_path_counts(nodes, at[i]) : NULL;
		if (node->self && !counts)
			err = -ENOMEM;
		if (counts)
			add(diff, counts, node->self, first);
	}
	free(at);
	return err;
}

int pp_path_diff_make(struct pp_profile *diff, const struct pp_profile *first,
		      const struct pp_profile *second, add_counts add)
{
	size_t nr_first, nr_second;
	struct pp_path_nodes nodes;
	struct named *named;
	uint32_t *becomes;
	int err;

	if (!first->paths || !second->paths)
		return 0;
	nr_first = first->paths->nr_places;
	nr_second = second->paths->nr_places;
	named = calloc(nr_first + nr_second, sizeof(*named));
	becomes = calloc(nr_first + nr_second, sizeof(*becomes));
	err = pp_path_nodes_init(&nodes, &diff->blocks, diff->nr_counts);
	if (!named || !becomes)
		err = -ENOMEM;
	if (!err) {
		name_places(named, first, becomes, 0);
		name_places(named + nr_first, second, becomes + nr_first, first->nr_codes);
		err = join_places(&nodes, named, nr_first + nr_second);
	}
	if (!err)
		err = add_nodes(&nodes, diff, second, becomes + nr_first, false, add);
	if (!err)
		err = add_nodes(&nodes, diff, first, becomes, true, add);
	if (!err)
		diff->paths = pp_path_nodes_finish(&nodes);
	pp_path_nodes_release(&nodes);
	free(named);
	free(becomes);
	return err;
}
