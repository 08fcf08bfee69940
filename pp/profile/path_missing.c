// SPDX-License-Identifier: GPL-2.0-or-later
/* path_missing.c -- compares the leaves of all trees with the flat profile. */
#include "config.h"
#include "pp/profile/path_missing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/search.h"
#include "pp/profile/arcs.h"

/* What an entry of the flat profile has that no leaf has. */
struct rest {
	uint32_t program, code;
	const struct pp_entry *entry;
	uint64_t *counts;
};

struct missing {
	struct pp_profile *profile;
	struct pp_path_programs *programs;
	struct pp_path_nodes *nodes;
	int libs_merged;
	struct rest *rests;		/* sorted */
	uint64_t *counts;
	/* by program and class: samples in trees whose function is not known */
	uint64_t *nowhere;
	/* by program: it has paths whose last function is not known */
	uint8_t *has_nowhere;
	uint32_t *place_of;		/* by code: number of its place + 1; 0: none was made yet */
	uint32_t no_path;		/* the place that stands for a missing path */
};

static int compare_rests(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return x->code < y->code ? -1 : x->code > y->code;
}

/* With merged libraries all programs count as one. */
static size_t program_index(const struct missing *m, const char *title)
{
	return m->libs_merged ? 0 : pp_path_program_index(m->programs, title);
}

static int collect(struct missing *m)
{
	const struct pp_profile *profile = m->profile;
	size_t nr = profile->nr_entries;

	m->rests = calloc(nr + 1, sizeof(*m->rests));
	m->counts = calloc(nr * profile->nr_classes + 1, sizeof(*m->counts));
	m->nowhere = calloc(m->programs->nr * profile->nr_classes + 1, sizeof(*m->nowhere));
	m->has_nowhere = calloc(m->programs->nr + 1, 1);
	m->place_of = calloc(profile->nr_codes + 1, sizeof(*m->place_of));
	if (!m->rests || !m->counts || !m->nowhere || !m->has_nowhere || !m->place_of)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		uint64_t *counts = &m->counts[i * profile->nr_classes];

		memcpy(counts, entry->counts, profile->nr_classes * sizeof(*counts));
		m->rests[i] = (struct rest){
			program_index(m, pp_entry_group(profile, entry)->app), entry->code, entry, counts,
		};
	}
	if (nr)
		qsort(m->rests, nr, sizeof(*m->rests), compare_rests);
	return 0;
}

static struct rest *find(const struct missing *m, uint32_t program, uint32_t code)
{
	const struct rest key = { .program = program, .code = code };
	size_t i = op_partition_point(k, m->profile->nr_entries, compare_rests(&m->rests[k], &key) < 0);

	if (i == m->profile->nr_entries || compare_rests(&m->rests[i], &key))
		return NULL;
	return &m->rests[i];
}

/* Subtracts the leaves' samples from those of the flat profile. */
static int subtract(struct missing *m)
{
	const struct pp_paths *paths = m->nodes->paths;
	uint32_t *program_of = calloc(paths->nr_nodes + 1, sizeof(*program_of));
	size_t nr = m->profile->nr_classes;

	if (!program_of)
		return -ENOMEM;
	for (uint32_t i = 1; i < paths->nr_nodes; i++) {
		const struct pp_path_node *node = &paths->nodes[i];
		const struct pp_place *place = &paths->places[node->place];
		uint64_t *from = NULL;
		struct rest *rest;

		program_of[i] = node->parent == PP_PATH_ROOT ? program_index(m, place->name) : program_of[node->parent];
		if (!node->self)
			continue;
		rest = place->code == PP_NO_CODE ? NULL : find(m, program_of[i], place->code);
		m->has_nowhere[program_of[i]] |= place->code == PP_NO_CODE;
		from = rest ? rest->counts : NULL;
		for (size_t c = 0; c < nr; c++) {
			if (from)
				from[c] -= from[c] < node->self[c] ? from[c] : node->self[c];
			else if (place->code == PP_NO_CODE)
				m->nowhere[program_of[i] * nr + c] += node->self[c];
		}
	}
	free(program_of);
	return 0;
}

static int place_of_code(struct missing *m, uint32_t code, uint32_t *ret)
{
	const struct pp_binary *binary = &m->profile->binaries[m->profile->codes[code].binary];
	const struct pp_place place = {
		.code = code, .kind = PP_PLACE_CODE, .is_kernel = binary->name->kind == OP_IMAGE_KERN,
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

static int add(struct missing *m, const struct rest *rest, size_t program)
{
	const char *title = pp_entry_group(m->profile, rest->entry)->app;
	uint32_t node, place;
	uint64_t *counts;
	int err = pp_path_program(m->programs, m->nodes, title, &node);

	if (!err)
		err = pp_path_child(m->nodes, node, m->no_path, &node);
	if (!err && !m->has_nowhere[program])
		err = place_of_code(m, rest->code, &place);
	if (!err && !m->has_nowhere[program])
		err = pp_path_child(m->nodes, node, place, &node);
	counts = err ? NULL : pp_path_counts(m->nodes, node);
	if (!counts)
		return -ENOMEM;
	for (size_t c = 0; c < m->profile->nr_classes; c++) {
		uint64_t *nowhere = &m->nowhere[program * m->profile->nr_classes + c];
		uint64_t there = *nowhere < rest->counts[c] ? *nowhere : rest->counts[c];

		counts[c] += rest->counts[c] - there;
		*nowhere -= there;
	}
	return 0;
}

static int add_all(struct missing *m)
{
	const struct pp_place no_path = { .code = PP_NO_CODE, .kind = PP_PLACE_NO_PATH };
	const struct pp_paths *paths = m->nodes->paths;
	int err;

	for (size_t i = 0; i < paths->nr_places; i++)
		if (paths->places[i].kind == PP_PLACE_CODE)
			m->place_of[paths->places[i].code] = i + 1;
	err = pp_path_place_add(m->nodes, &no_path, &m->no_path);
	for (size_t i = 0; i < m->profile->nr_entries && !err; i++) {
		const struct rest *rest = &m->rests[i];
		const char *app = pp_entry_group(m->profile, rest->entry)->app;

		if (pp_has_counts(rest->counts, m->profile->nr_classes))
			err = add(m, rest, program_index(m, app));
	}
	return err;
}

int pp_paths_add_missing(struct pp_profile *profile, struct pp_path_programs *programs,
			 struct pp_path_nodes *nodes, int libs_merged)
{
	struct missing m = {
		.profile = profile, .programs = programs, .nodes = nodes, .libs_merged = libs_merged,
	};
	int err = collect(&m);

	if (!err)
		err = subtract(&m);
	if (!err)
		err = add_all(&m);
	free(m.rests);
	free(m.counts);
	free(m.nowhere);
	free(m.has_nowhere);
	free(m.place_of);
	return err;
}
