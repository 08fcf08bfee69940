// SPDX-License-Identifier: GPL-2.0-or-later
/* arcs.c -- arcs of a calling context tree. */
#include "config.h"
#include "pp/paths/arcs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"

struct collector {
	struct pp_profile *profile;
	/* number of calls of each node; NULL: calls were not counted */
	uint64_t *calls;
	int libs_merged;
	struct pp_loose_arc *arcs;
	size_t nr;
};

static int compare_groups(const struct pp_group *x, const char *image, const char *app)
{
	int d = strcmp(x->image, image);

	return d ? d : strcmp(x->app, app);
}

/* Find the arc's group. Each image with frames of a program has a group. */
static bool find_group(const struct collector *c, uint32_t code, const char *app, uint32_t *ret)
{
	const struct pp_profile *profile = c->profile;
	const char *image = profile->binaries[profile->codes[code].binary].title;
	size_t low = 0, high = profile->nr_groups;

	if (c->libs_merged)
		app = image;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int d = compare_groups(&profile->groups[middle], image, app);

		if (!d) {
			*ret = middle;
			return true;
		}
		if (d < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Return the node of the caller's function, or the root if the caller is unknown. */
static uint32_t caller_of(const struct pp_paths *paths, uint32_t node)
{
	do
		node = paths->nodes[node].parent;
	while (pp_path_place(paths, node)->kind == PP_PLACE_INLINED);
	return pp_path_place(paths, node)->kind == PP_PLACE_CODE ? node : PP_PATH_ROOT;
}

/* Return whether the same call is further out on the path, too. */
static bool came_before(const struct pp_paths *paths, uint32_t caller, uint32_t callee)
{
	uint32_t from = paths->nodes[caller].place, to = paths->nodes[callee].place, node = caller;

	while (node != PP_PATH_ROOT) {
		uint32_t above = caller_of(paths, node);

		if (above != PP_PATH_ROOT && paths->nodes[node].place == to &&
		    paths->nodes[above].place == from)
			return true;
		/* If the caller is unknown, the path further out may still have the same call. */
		node = above != PP_PATH_ROOT ? above : paths->nodes[node].parent;
	}
	return false;
}

static const char *app_of(const struct pp_paths *paths, uint32_t node)
{
	while (paths->nodes[node].depth > 1)
		node = paths->nodes[node].parent;
	return pp_path_place(paths, node)->name;
}

static int add_count(struct collector *c, struct pp_loose_arc *arc, uint32_t class, uint64_t count)
{
	if (!count)
		return 0;
	if (op_grow(&c->arcs, c->nr))
		return -ENOMEM;
	arc->class = class;
	arc->count = count;
	c->arcs[c->nr++] = *arc;
	return 0;
}

/* @is_inner: the same call is further out, where its samples are counted, but not its calls. */
static int add_arc(struct collector *c, uint32_t caller, uint32_t callee, bool is_inner)
{
	const struct pp_paths *paths = c->profile->paths;
	struct pp_loose_arc arc = {
		.caller.code = pp_path_place(paths, caller)->code,
		.callee.code = pp_path_place(paths, callee)->code,
	};
	const uint64_t *counts = paths->nodes[callee].total;
	const char *app = app_of(paths, callee);
	int err = 0;

	if (!find_group(c, arc.caller.code, app, &arc.caller.group) ||
	    !find_group(c, arc.callee.code, app, &arc.callee.group))
		return 0;
	for (uint32_t class = 0; class < c->profile->nr_classes && !err; class++)
		if (class == c->profile->calls)
			err = add_count(c, &arc, class, c->calls[callee]);
		else if (!is_inner)
			err = add_count(c, &arc, class, counts[class]);
	return err;
}

/* Sum the calls that end in each node, or in functions inlined into it. */
static int find_calls(struct collector *c)
{
	const struct pp_paths *paths = c->profile->paths;
	size_t class = c->profile->calls;

	if (class == c->profile->nr_classes)
		return 0;
	c->calls = calloc(paths->nr_nodes, sizeof(*c->calls));
	if (!c->calls)
		return -ENOMEM;
	for (uint32_t i = 1; i < paths->nr_nodes; i++) {
		uint32_t in = i;

		while (pp_path_place(paths, in)->kind == PP_PLACE_INLINED)
			in = paths->nodes[in].parent;
		if (paths->nodes[i].self)
			c->calls[in] += paths->nodes[i].self[class];
	}
	return 0;
}

int pp_path_arcs_make(struct pp_profile *profile, int libs_merged)
{
	struct collector c = { .profile = profile, .libs_merged = libs_merged };
	const struct pp_paths *paths = profile->paths;
	int err = find_calls(&c);

	for (uint32_t i = 1; i < paths->nr_nodes && !err; i++) {
		uint32_t caller;
		bool is_inner;

		if (pp_path_place(paths, i)->kind != PP_PLACE_CODE ||
		    pp_path_place(paths, i)->unwanted)
			continue;
		caller = caller_of(paths, i);
		if (caller == PP_PATH_ROOT || pp_path_place(paths, caller)->unwanted)
			continue;
		is_inner = came_before(paths, caller, i);
		if (!is_inner || c.calls)
			err = add_arc(&c, caller, i, is_inner);
	}
	if (!err)
		err = pp_arcs_make(profile, c.arcs, c.nr);
	free(c.calls);
	free(c.arcs);
	return err;
}
