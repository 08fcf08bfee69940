// SPDX-License-Identifier: GPL-2.0-or-later
/* missing.c -- comparison of the leaves of all trees with the flat profile. */
#include "config.h"
#include "pp/paths/missing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/plural.h"
#include "libop/base/search.h"
#include "pp/profile/arcs.h"
#include "pp/session/tasks.h"

/* Samples of an entry of the flat profile that are not in a leaf of any path. */
struct rest {
	uint32_t program, code;
	bool own;		/* the session does not separate this binary's samples by program */
	bool by_unknown;	/* samples were subtracted for leaves without a function */
	const struct pp_entry *entry;
	uint64_t *counts;
};

struct missing {
	struct pp_profile *profile;
	struct pp_path_programs *programs;
	struct pp_path_nodes *nodes;
	int libs_merged;
	struct rest *rests;		/* sorted by program, then by code */
	uint32_t *by_code;		/* indices into .rests, sorted by code; own ones first */
	uint64_t *counts;
	/* by code and class: samples of leaves without an entry for their program */
	uint64_t *left;
	/* samples of leaves whose function is unknown, by program and class; the last row is for
	 * all programs */
	uint64_t *nowhere;
	/* by program: it has paths whose last function is unknown */
	uint8_t *has_nowhere;
	/* leaves without a function were subtracted from other programs */
	bool spread;
	uint32_t *place_of;		/* by code: index of its place + 1; 0: not made yet */
	uint32_t no_path;		/* the place for a missing path */
};

static int compare_rests(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return x->code < y->code ? -1 : x->code > y->code;
}

static int compare_codes(const void *a, const void *b, void *arg)
{
	const struct rest *rests = arg, *x = &rests[*(const uint32_t *)a],
			  *y = &rests[*(const uint32_t *)b];

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	if (x->own != y->own)
		return x->own ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* With merged libraries all programs count as one. */
static size_t program_index(const struct missing *m, const char *title)
{
	return m->libs_merged ? 0 : pp_path_program_index(m->programs, title);
}

static int collect(struct missing *m)
{
	const struct pp_profile *profile = m->profile;
	size_t nr = profile->nr_entries, nr_classes = profile->nr_classes;

	m->rests = calloc(nr + 1, sizeof(*m->rests));
	m->by_code = calloc(nr + 1, sizeof(*m->by_code));
	m->counts = calloc(nr * nr_classes + 1, sizeof(*m->counts));
	m->left = calloc(profile->nr_codes * nr_classes + 1, sizeof(*m->left));
	m->nowhere = calloc((m->programs->nr + 1) * nr_classes + 1, sizeof(*m->nowhere));
	m->has_nowhere = calloc(m->programs->nr + 1, 1);
	m->place_of = calloc(profile->nr_codes + 1, sizeof(*m->place_of));
	if (!m->rests || !m->by_code || !m->counts || !m->left || !m->nowhere || !m->has_nowhere ||
	    !m->place_of)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_group *group = pp_entry_group(profile, entry);

		m->rests[i] = (struct rest){
			.program = program_index(m, group->app), .code = entry->code,
			.own = pp_tasks_own_image(group->app, group->image),
			.entry = entry, .counts = &m->counts[i * nr_classes],
		};
		memcpy(m->rests[i].counts, entry->counts, nr_classes * sizeof(*entry->counts));
		m->by_code[i] = i;
	}
	if (nr) {
		qsort(m->rests, nr, sizeof(*m->rests), compare_rests);
		qsort_r(m->by_code, nr, sizeof(*m->by_code), compare_codes, m->rests);
	}
	return 0;
}

static struct rest *find(const struct missing *m, uint32_t program, uint32_t code)
{
	const struct rest key = { .program = program, .code = code };
	size_t i = op_partition_point(k, m->profile->nr_entries,
				      compare_rests(&m->rests[k], &key) < 0);

	if (i == m->profile->nr_entries || compare_rests(&m->rests[i], &key))
		return NULL;
	return &m->rests[i];
}

/* Subtract the smaller number from both numbers, and return it. */
static uint64_t cancel(uint64_t *a, uint64_t *b)
{
	uint64_t common = *a < *b ? *a : *b;

	*a -= common;
	*b -= common;
	return common;
}

/* Subtract a leaf's samples from those of its function in its program; add the rest to .left or
 * .nowhere. */
static void subtract_leaf(struct missing *m, const struct pp_path_node *node, uint32_t program)
{
	const struct pp_place *place = &m->nodes->paths->places[node->place];
	size_t nr = m->profile->nr_classes;
	struct rest *rest = NULL;

	if (place->code != PP_NO_CODE)
		rest = find(m, program, place->code);
	else
		m->has_nowhere[program] = true;
	for (size_t c = 0; c < nr; c++) {
		uint64_t self = node->self[c];

		if (rest)
			cancel(&self, &rest->counts[c]);
		if (place->code == PP_NO_CODE)
			m->nowhere[program * nr + c] += self;
		else
			m->left[place->code * nr + c] += self;
	}
}

static int subtract(struct missing *m)
{
	const struct pp_paths *paths = m->nodes->paths;
	uint32_t *program_of = calloc(paths->nr_nodes + 1, sizeof(*program_of));

	if (!program_of)
		return -ENOMEM;
	for (uint32_t i = 1; i < paths->nr_nodes; i++) {
		const struct pp_path_node *node = &paths->nodes[i];
		const struct pp_place *place = &paths->places[node->place];

		program_of[i] = node->parent == PP_PATH_ROOT ? program_index(m, place->name)
							     : program_of[node->parent];
		if (node->self)
			subtract_leaf(m, node, program_of[i]);
	}
	free(program_of);
	return 0;
}

/*
 * Subtract the samples of leaves whose own program has no entry from the function's other entries.
 * A tree always belongs to a program. A sample file of a library or of the kernel belongs to a
 * program only if the session separated samples by program (--separate).
 */
static void subtract_left(struct missing *m)
{
	size_t nr = m->profile->nr_classes;

	for (size_t i = 0; i < m->profile->nr_entries; i++) {
		struct rest *rest = &m->rests[m->by_code[i]];

		for (size_t c = 0; c < nr; c++)
			cancel(&m->left[rest->code * nr + c], &rest->counts[c]);
	}
	for (size_t i = 0; i < m->profile->nr_codes; i++)
		for (size_t c = 0; c < nr; c++)
			m->nowhere[m->programs->nr * nr + c] += m->left[i * nr + c];
}

/* Subtract samples of leaves without a function (row @program of .nowhere) from @rest. */
static void subtract_unknown(struct missing *m, struct rest *rest, size_t program)
{
	size_t nr = m->profile->nr_classes;

	for (size_t c = 0; c < nr; c++)
		if (cancel(&m->nowhere[program * nr + c], &rest->counts[c]))
			rest->by_unknown = true;
}

/* Subtract samples of leaves without a function from functions of the same program first, then from
 * code that is not separated by program. */
static void subtract_all_unknown(struct missing *m)
{
	size_t all = m->programs->nr, nr = m->profile->nr_classes;

	for (size_t i = 0; i < m->profile->nr_entries; i++)
		subtract_unknown(m, &m->rests[i], m->rests[i].program);
	for (size_t p = 0; p < all; p++)
		for (size_t c = 0; c < nr; c++)
			m->nowhere[all * nr + c] += m->nowhere[p * nr + c];
	m->spread = pp_has_counts(&m->nowhere[all * nr], nr);
	for (int own = 1; own >= 0; own--)
		for (size_t i = 0; i < m->profile->nr_entries; i++)
			if (m->rests[i].own == own)
				subtract_unknown(m, &m->rests[i], all);
}

static int place_of_code(struct missing *m, uint32_t code, uint32_t *ret)
{
	const struct pp_binary *binary = &m->profile->binaries[m->profile->codes[code].binary];
	const struct pp_place place = {
		.code = code,
		.kind = PP_PLACE_CODE,
		.is_kernel = binary->name->kind == OP_IMAGE_KERN,
	};
	int err = 0;

	if (!m->place_of[code]) {
		err = pp_path_place_add(m->nodes, &place, ret);
		if (!err)
			m->place_of[code] = *ret + 1;
		return err;
	}
	*ret = m->place_of[code] - 1;
	return 0;
}

/* Return false if the function that lacks a path is unknown, because samples of leaves without a
 * function may have been this function's. */
static bool knows_function(const struct missing *m, const struct rest *rest)
{
	return !rest->by_unknown && !m->has_nowhere[rest->program] && !m->spread;
}

static int add(struct missing *m, const struct rest *rest)
{
	const char *title = pp_entry_group(m->profile, rest->entry)->app;
	bool with_function = knows_function(m, rest);
	uint32_t node, place;
	uint64_t *counts;
	int err = pp_path_program(m->programs, m->nodes, title, &node);

	if (!err)
		err = pp_path_child(m->nodes, node, m->no_path, &node);
	if (!err && with_function)
		err = place_of_code(m, rest->code, &place);
	if (!err && with_function)
		err = pp_path_child(m->nodes, node, place, &node);
	counts = err ? NULL : pp_path_counts(m->nodes, node);
	if (!counts)
		return -ENOMEM;
	for (size_t c = 0; c < m->profile->nr_classes; c++)
		counts[c] += rest->counts[c];
	return 0;
}

static int add_all(struct missing *m)
{
	const struct pp_place no_path = { .code = PP_NO_CODE, .kind = PP_PLACE_NO_PATH };
	const struct pp_paths *paths = m->nodes->paths;
	int err;

	for (size_t i = 0; i < paths->nr_places; i++)
		if (paths->places[i].kind == PP_PLACE_CODE && !paths->places[i].file)
			m->place_of[paths->places[i].code] = i + 1;
	err = pp_path_place_add(m->nodes, &no_path, &m->no_path);
	for (size_t i = 0; i < m->profile->nr_entries && !err; i++)
		if (pp_has_counts(m->rests[i].counts, m->profile->nr_classes))
			err = add(m, &m->rests[i]);
	return err;
}

int pp_paths_add_missing(struct pp_profile *profile, struct pp_path_programs *programs,
			 struct pp_path_nodes *nodes, int libs_merged)
{
	struct missing m = {
		.profile = profile,
		.programs = programs,
		.nodes = nodes,
		.libs_merged = libs_merged,
	};
	int err = collect(&m);

	if (!err)
		err = subtract(&m);
	if (!err) {
		subtract_left(&m);
		subtract_all_unknown(&m);
		err = add_all(&m);
	}
	free(m.rests);
	free(m.by_code);
	free(m.counts);
	free(m.left);
	free(m.nowhere);
	free(m.has_nowhere);
	free(m.place_of);
	return err;
}

void pp_paths_check(const struct pp_profile *profile, const struct pp_paths *paths,
		    struct pp_log *log)
{
	uint64_t more = 0, less = 0;

	for (size_t c = 0; c < profile->nr_classes; c++) {
		uint64_t flat = 0, sum = 0;

		for (size_t i = 0; i < profile->nr_entries; i++)
			flat += profile->entries[i].counts[c];
		for (size_t i = 0; i < paths->nr_nodes; i++)
			sum += paths->nodes[i].self ? paths->nodes[i].self[c] : 0;
		more += sum > flat ? sum - flat : 0;
		less += sum < flat ? flat - sum : 0;
	}
	if (more)
		pp_warn(log,
			"call paths have %" PRIu64
			" %s more than the sample files in this report: the session is being "
			"written, was sampled with several settings of --separate, or has "
			"damaged files",
			more, op_plural(more, "sample", "samples"));
	if (less)
		pp_warn(log, "call paths lack %" PRIu64 " %s that the sample files have", less,
			op_plural(less, "sample", "samples"));
}
