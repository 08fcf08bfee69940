// SPDX-License-Identifier: GPL-2.0-or-later
/* wakers.c -- a tree of the functions that ended waits, and of the programs that waited. */
#include "config.h"
#include "pp/paths/trees.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pp/base/block.h"
#include "pp/paths/nodes.h"
#include "pp/profile/arcs.h"
#include "pp/session/wakers.h"

/* An entry of the profile: a function of a waker, and the program that the waker woke. */
struct woken_by {
	const char *waker, *woken;	/* titles of the programs */
	uint32_t code;			/* index of the waker's function */
	const uint64_t *counts;
	uint32_t root;			/* node of the waker's function */
};

struct maker {
	struct pp_profile *profile;
	struct pp_path_nodes nodes;
	struct woken_by *items;
	size_t nr;
};

static int compare_wakers(const void *a, const void *b)
{
	const struct woken_by *x = a, *y = b;
	int d = strcmp(x->waker, y->waker);

	if (d)
		return d;
	return x->code < y->code ? -1 : x->code > y->code;
}

static int compare_woken(const void *a, const void *b)
{
	return strcmp(((const struct woken_by *)a)->woken, ((const struct woken_by *)b)->woken);
}

/* List the entries of the profile that have samples. */
static int list_entries(struct maker *m)
{
	struct pp_profile *profile = m->profile;
	struct pp_intern names = { 0 };
	int err = 0;

	m->items = calloc(profile->nr_entries + 1, sizeof(*m->items));
	if (!m->items)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_entries && !err; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		struct woken_by *item = &m->items[m->nr];

		if (!pp_has_counts(entry->counts, profile->nr_counts))
			continue;
		*item = (struct woken_by){ .code = entry->code, .counts = entry->counts };
		err = pp_waker_split(&item->waker, &item->woken,
				     pp_entry_group(profile, entry)->app, &names,
				     &profile->strings);
		m->nr++;
	}
	pp_intern_release(&names);
	return err;
}

/* Make a node below the root for each function of each waker. */
static int make_roots(struct maker *m)
{
	const struct pp_profile *profile = m->profile;
	uint32_t place, node = 0;
	int err = 0;

	qsort(m->items, m->nr, sizeof(*m->items), compare_wakers);
	for (size_t i = 0; i < m->nr && !err; i++) {
		struct woken_by *item = &m->items[i];
		const struct pp_binary *binary =
			&profile->binaries[profile->codes[item->code].binary];

		if (!i || compare_wakers(item, item - 1)) {
			err = pp_path_place_add(
				&m->nodes,
				&(struct pp_place){ .name = item->waker, .code = item->code,
						    .kind = PP_PLACE_WAKER,
						    .is_kernel = binary->name->kind ==
								 OP_IMAGE_KERN },
				&place);
			if (!err)
				err = pp_path_child(&m->nodes, PP_PATH_ROOT, place, &node);
		}
		item->root = node;
	}
	return err;
}

/* Make a node for each woken program below the functions that woke it, and count the samples
 * there. */
static int make_woken(struct maker *m)
{
	const size_t nr_counts = m->profile->nr_counts;
	uint32_t place = 0, node;
	int err = 0;

	qsort(m->items, m->nr, sizeof(*m->items), compare_woken);
	for (size_t i = 0; i < m->nr && !err; i++) {
		const struct woken_by *item = &m->items[i];
		uint64_t *counts;

		if (!i || compare_woken(item, item - 1))
			err = pp_path_place_add(&m->nodes,
						&(struct pp_place){ .name = item->woken,
								    .code = PP_NO_CODE,
								    .kind = PP_PLACE_PROGRAM },
						&place);
		if (!err)
			err = pp_path_child(&m->nodes, item->root, place, &node);
		counts = err ? NULL : pp_path_counts(&m->nodes, node);
		if (!counts)
			return -ENOMEM;
		for (size_t c = 0; c < nr_counts; c++)
			counts[c] += item->counts[c];
	}
	return err;
}

int pp_paths_of_wakers(struct pp_profile *profile)
{
	struct maker m = { .profile = profile };
	int err = pp_path_nodes_init(&m.nodes, &profile->blocks, profile->nr_counts);

	if (!err)
		err = list_entries(&m);
	if (!err)
		err = make_roots(&m);
	if (!err)
		err = make_woken(&m);
	if (!err)
		profile->paths = pp_path_nodes_finish(&m.nodes);
	pp_path_nodes_release(&m.nodes);
	free(m.items);
	return err;
}
