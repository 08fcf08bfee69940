// SPDX-License-Identifier: GPL-2.0-or-later
/* inclusive.c -- inclusive totals of functions, from the calling context tree. */
#include "config.h"
#include "pp/profile/inclusive.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/search.h"
#include "pp/base/block.h"
#include "pp/profile/arcs.h"

/* A function, a program, and the index of their entry in the profile. Used to look up the entry. */
struct key {
	struct pp_end end;
	uint32_t entry; /* index of the entry (a program's samples in a function) in the profile */
};

/* A node of the call tree whose function has an entry in the profile, and whose ancestors are in
 * other functions. The inclusive total of the entry is the sum over all such nodes. */
struct part {
	struct pp_end end;
	uint32_t node;
};

struct totals {
	struct pp_profile *profile;
	bool libs_merged;
	/* indices of the profile's groups (a program's samples in a binary), sorted by image, then
	 * program */
	uint32_t *groups;
	/* the function and the program of each entry, sorted */
	struct key *keys;
	size_t nr_keys;
	struct part *parts;
	size_t nr_parts;
};

static int compare_ends(struct pp_end x, struct pp_end y)
{
	if (x.group != y.group)
		return x.group < y.group ? -1 : 1;
	return x.code < y.code ? -1 : x.code > y.code;
}

static int compare_keys(const void *a, const void *b)
{
	return compare_ends(((const struct key *)a)->end, ((const struct key *)b)->end);
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int d = compare_ends(x->end, y->end);

	return d ? d : x->node < y->node ? -1 : x->node > y->node;
}

static int compare_titles(const struct pp_group *group, const char *image, const char *app)
{
	int d = strcmp(group->image, image);

	return d ? d : strcmp(group->app, app);
}

static int compare_groups(const void *a, const void *b, void *arg)
{
	const struct pp_group *groups = arg, *y = &groups[*(const uint32_t *)b];

	return compare_titles(&groups[*(const uint32_t *)a], y->image, y->app);
}

static bool find_group(const struct totals *t, const char *image, const char *app, uint32_t *ret)
{
	const struct pp_group *groups = t->profile->groups;
	size_t nr = t->profile->nr_groups;
	size_t i = op_partition_point(k, nr, compare_titles(&groups[t->groups[k]], image, app) < 0);

	if (i == nr || compare_titles(&groups[t->groups[i]], image, app))
		return false;
	*ret = t->groups[i];
	return true;
}

/* Return the entry for the function and program in @end, or NULL if no such entry exists. */
static const struct key *find_key(const struct totals *t, struct pp_end end)
{
	size_t i = op_partition_point(k, t->nr_keys, compare_ends(t->keys[k].end, end) < 0);

	return i < t->nr_keys && !compare_ends(t->keys[i].end, end) ? &t->keys[i] : NULL;
}

/*
 * Find the entry that has the samples of the function @code in the program @app, and store its
 * group and code in *@ret. If samples of an image are not separated by program, the entry is in the
 * group whose program is the image itself. Functions of such an image without samples are in this
 * group, too.
 */
static bool find_end(const struct totals *t, uint32_t code, const char *app, struct pp_end *ret)
{
	const struct pp_profile *profile = t->profile;
	const char *image = profile->binaries[profile->codes[code].binary].title;
	struct pp_end own = { .code = code }, shared = { .code = code };
	bool has_own = !t->libs_merged && find_group(t, image, app, &own.group);
	bool has_shared = find_group(t, image, image, &shared.group);

	if (has_shared && (!has_own || (!find_key(t, own) && find_key(t, shared))))
		*ret = shared;
	else if (has_own)
		*ret = own;
	return has_own || has_shared;
}

static int index_profile(struct totals *t)
{
	const struct pp_profile *profile = t->profile;

	t->groups = calloc(profile->nr_groups + 1, sizeof(*t->groups));
	t->keys = calloc(profile->nr_entries + 1, sizeof(*t->keys));
	t->parts = calloc(profile->paths->nr_nodes + 1, sizeof(*t->parts));
	if (!t->groups || !t->keys || !t->parts)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_groups; i++)
		t->groups[i] = i;
	if (profile->nr_groups)
		qsort_r(t->groups, profile->nr_groups, sizeof(*t->groups), compare_groups,
			profile->groups);
	t->nr_keys = profile->nr_entries;
	for (size_t i = 0; i < t->nr_keys; i++)
		t->keys[i] = (struct key){{profile->entries[i].group, profile->entries[i].code}, i};
	if (t->nr_keys)
		qsort(t->keys, t->nr_keys, sizeof(*t->keys), compare_keys);
	return 0;
}

/*
 * Walk all call paths, and collect t->parts, the nodes from which inclusive totals are summed.
 * @on_path: for each code (function), the number of nodes on the current path with this code.
 */
static void find_parts(struct totals *t, struct pp_path_walk *walk, uint32_t *on_path)
{
	const struct pp_paths *paths = t->profile->paths;
	/* for each depth of the current path: the code (function) of its node */
	uint32_t codes[PP_PATH_MAX_DEPTH + 3];
	size_t depth = 0;

	pp_path_walk_begin(walk, paths);
	while (pp_path_walk_next(walk)) {
		uint32_t node = walk->nodes[walk->depth];
		const struct pp_place *place = pp_path_place(paths, node);
		struct part *part = &t->parts[t->nr_parts];

		for (; depth >= walk->depth; depth--)
			if (codes[depth] != PP_NO_CODE)
				on_path[codes[depth]]--;
		depth = walk->depth;
		codes[depth] = place->code;
		/* Skip the inner calls of a recursive function: the samples are already in the
		 * total of the outermost call. */
		if (place->code == PP_NO_CODE || on_path[place->code]++ || place->unwanted)
			continue;
		part->node = node;
		if (pp_has_counts(paths->nodes[node].total, t->profile->nr_counts) &&
		    find_end(t, place->code, pp_path_place(paths, walk->nodes[1])->name,
			     &part->end))
			t->nr_parts++;
	}
}

/* Double the counts array of @entry (a program's samples in a function), and set the second half,
 * the inclusive total, to the entry's own counts. An entry without a call path keeps this total.
 * @entry may have no counts. */
static int add_room(struct pp_profile *profile, struct pp_entry *entry)
{
	size_t nr = profile->nr_counts;
	uint64_t *counts = pp_block_alloc(&profile->blocks, 2 * nr);

	if (!counts)
		return -ENOMEM;
	for (size_t c = 0; entry->counts && c < nr; c++)
		counts[c] = counts[nr + c] = entry->counts[c];
	entry->counts = counts;
	return 0;
}

static int add_entry(struct pp_profile *profile, struct pp_end end, size_t *max)
{
	struct pp_entry entry = { .code = end.code, .group = end.group };

	if (profile->nr_entries == *max) {
		size_t wanted = 2 * *max + 16;
		struct pp_entry *grown = reallocarray(profile->entries, wanted, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		profile->entries = grown;
		*max = wanted;
	}
	if (profile->nr_entries == UINT32_MAX || add_room(profile, &entry))
		return -ENOMEM;
	profile->entries[profile->nr_entries++] = entry;
	return 0;
}

/*
 * Set the inclusive total of @entry to the sum of its @parts. If the daemon folded paths to save
 * space, a function may have samples without a path. So the total is at least the entry's own
 * counts.
 */
static void sum_parts(const struct totals *t, struct pp_entry *entry, const struct part *parts,
		      size_t nr)
{
	const struct pp_path_node *nodes = t->profile->paths->nodes;
	uint64_t *total = entry->counts + t->profile->nr_counts;

	for (size_t c = 0; c < t->profile->nr_classes; c++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < nr; i++)
			sum += nodes[parts[i].node].total[c];
		total[c] = sum > entry->counts[c] ? sum : entry->counts[c];
	}
}

static int sum_all(struct totals *t)
{
	struct pp_profile *profile = t->profile;
	size_t max = profile->nr_entries, end;
	int err = 0;

	for (size_t i = 0; i < profile->nr_entries && !err; i++)
		err = add_room(profile, &profile->entries[i]);
	if (t->nr_parts)
		qsort(t->parts, t->nr_parts, sizeof(*t->parts), compare_parts);
	for (size_t i = 0; i < t->nr_parts && !err; i = end) {
		const struct key *key = find_key(t, t->parts[i].end);

		for (end = i + 1;
		     end < t->nr_parts && !compare_ends(t->parts[i].end, t->parts[end].end);)
			end++;
		if (!key)
			err = add_entry(profile, t->parts[i].end, &max);
		if (!err)
			sum_parts(t, &profile->entries[key ? key->entry : profile->nr_entries - 1],
				  &t->parts[i], end - i);
	}
	return err;
}

int pp_inclusive_make(struct pp_profile *profile, bool libs_merged)
{
	struct totals t = { .profile = profile, .libs_merged = libs_merged };
	struct pp_path_walk *walk = malloc(sizeof(*walk));
	uint32_t *on_path = calloc(profile->nr_codes + 1, sizeof(*on_path));
	int err = walk && on_path ? index_profile(&t) : -ENOMEM;

	if (!err) {
		find_parts(&t, walk, on_path);
		err = sum_all(&t);
	}
	if (!err)
		profile->has_totals = true;
	free(walk);
	free(on_path);
	free(t.groups);
	free(t.keys);
	free(t.parts);
	return err;
}
