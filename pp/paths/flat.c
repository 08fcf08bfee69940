// SPDX-License-Identifier: GPL-2.0-or-later
/* flat.c -- a tree of programs, binaries and functions for a profile without call paths. */
#include "config.h"
#include "pp/paths/trees.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pp/paths/nodes.h"
#include "pp/profile/arcs.h"
#include "pp/session/tasks.h"

struct maker {
	const struct pp_profile *profile;
	struct pp_path_nodes nodes;
	/* for each group (program and binary): its program's node; 0: no node yet */
	uint32_t *programs;
	/* for each binary and for each function: the number of its place in the tree */
	uint32_t *images, *codes;
};

static int compare_apps(const void *a, const void *b, void *arg)
{
	const struct pp_profile *profile = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return strcmp(profile->groups[x].app, profile->groups[y].app);
}

/* Make one node for each program; all groups (a program's samples in a binary) of a program share
 * the node. */
static int make_programs(struct maker *m)
{
	const struct pp_profile *profile = m->profile;
	uint32_t *order = calloc(profile->nr_groups + 1, sizeof(*order)), node = 0, place;
	int err = order ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < profile->nr_groups; i++)
		order[i] = i;
	if (!err && profile->nr_groups)
		qsort_r(order, profile->nr_groups, sizeof(*order), compare_apps, (void *)profile);
	for (size_t i = 0; i < profile->nr_groups && !err; i++) {
		const char *app = profile->groups[order[i]].app;

		if (!i || strcmp(app, profile->groups[order[i - 1]].app)) {
			err = pp_path_place_add(&m->nodes,
						&(struct pp_place){.name = app,
								   .code = PP_NO_CODE,
								   .kind = PP_PLACE_PROGRAM},
						&place);
			if (!err)
				err = pp_path_child(&m->nodes, PP_PATH_ROOT, place, &node);
		}
		m->programs[order[i]] = node;
	}
	free(order);
	return err;
}

/* Add a place (element that nodes refer to) for each binary, then a place for each function. */
static int make_places(struct maker *m)
{
	const struct pp_profile *profile = m->profile;
	int err = 0;

	for (size_t i = 0; i < profile->nr_binaries && !err; i++) {
		const struct pp_binary *binary = &profile->binaries[i];

		err = pp_path_place_add(
			&m->nodes,
			&(struct pp_place){.name = binary->title,
					   .code = PP_NO_CODE,
					   .binary = i,
					   .kind = PP_PLACE_IMAGE,
					   .is_kernel = binary->name->kind == OP_IMAGE_KERN},
			&m->images[i]);
	}
	for (size_t i = 0; i < profile->nr_codes && !err; i++) {
		const struct pp_binary *binary = &profile->binaries[profile->codes[i].binary];

		err = pp_path_place_add(
			&m->nodes,
			&(struct pp_place){.code = i,
					   .kind = PP_PLACE_CODE,
					   .is_kernel = binary->name->kind == OP_IMAGE_KERN},
			&m->codes[i]);
	}
	return err;
}

static int add_entry(struct maker *m, const struct pp_entry *entry)
{
	const struct pp_profile *profile = m->profile;
	const struct pp_group *group = pp_entry_group(profile, entry);
	enum pp_code_kind kind = pp_entry_code(profile, entry)->kind;
	uint32_t node = m->programs[entry->group];
	uint64_t *counts;
	int err = 0;

	if (!pp_has_counts(entry->counts, profile->nr_counts))
		return 0;
	if (!pp_tasks_own_image(group->app, group->image))
		err = pp_path_child(&m->nodes, node, m->images[group->binary], &node);
	if (!err && (kind == PP_CODE_SYMBOL || kind == PP_CODE_UNCOVERED))
		err = pp_path_child(&m->nodes, node, m->codes[entry->code], &node);
	counts = err ? NULL : pp_path_counts(&m->nodes, node);
	if (!counts)
		return -ENOMEM;
	for (size_t c = 0; c < profile->nr_counts; c++)
		counts[c] += entry->counts[c];
	return 0;
}

int pp_paths_of_flat(struct pp_paths **ret, const struct pp_profile *profile,
		     struct pp_block **blocks)
{
	struct maker m = {
		.profile = profile,
		.programs = calloc(profile->nr_groups + 1, sizeof(*m.programs)),
		.images = calloc(profile->nr_binaries + 1, sizeof(*m.images)),
		.codes = calloc(profile->nr_codes + 1, sizeof(*m.codes)),
	};
	int err = pp_path_nodes_init(&m.nodes, blocks, profile->nr_counts);

	if (!m.programs || !m.images || !m.codes)
		err = -ENOMEM;
	if (!err)
		err = make_programs(&m);
	if (!err)
		err = make_places(&m);
	for (size_t i = 0; i < profile->nr_entries && !err; i++)
		err = add_entry(&m, &profile->entries[i]);
	if (!err)
		err = pp_paths_finish(m.nodes.paths, profile, blocks);
	if (!err)
		*ret = pp_path_nodes_finish(&m.nodes);
	pp_path_nodes_release(&m.nodes);
	free(m.programs);
	free(m.images);
	free(m.codes);
	return err;
}
