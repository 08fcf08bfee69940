// SPDX-License-Identifier: GPL-2.0-or-later
/* arcs.c -- sums the arcs (calls from one function to another) in call-graph files. */
#include "config.h"
#include "pp/profile/arcs.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "pp/base/block.h"
#include "pp/source/samples.h"

int pp_arc_file_read(struct pp_arc_file *file)
{
	struct pp_samples samples;
	uint32_t nr;
	int err = pp_samples_open(&samples, file->file->path);

	if (err)
		return err;
	nr = odb_nr_nodes(samples.db);
	file->header = samples.header;
	for (uint32_t i = odb_next_node(samples.db, 0); i < nr && !err;
	     i = odb_next_node(samples.db, i + 1)) {
		uint64_t key;
		uint32_t count;

		odb_node(samples.db, i, &key, &count);
		if (!count)
			continue;
		if (op_grow(&file->nodes, file->nr)) {
			err = -ENOMEM;
			break;
		}
		file->nodes[file->nr++] = (struct pp_arc_node){
			.from = key >> 32,
			.to = (uint32_t)key,
			.caller = PP_NO_CODE,
			.callee = PP_NO_CODE,
			.count = count,
		};
	}
	pp_samples_close(&samples);
	return err;
}

void pp_arc_file_release(struct pp_arc_file *file)
{
	free(file->nodes);
	file->nodes = NULL;
	file->nr = 0;
}

static int compare_ends(struct pp_end x, struct pp_end y)
{
	if (x.group != y.group)
		return x.group < y.group ? -1 : 1;
	return x.code < y.code ? -1 : x.code > y.code;
}

static int compare_loose(const void *a, const void *b)
{
	const struct pp_loose_arc *x = a, *y = b;
	int d = compare_ends(x->caller, y->caller);

	return d ? d : compare_ends(x->callee, y->callee);
}

static size_t collect(struct pp_loose_arc *ret, const struct pp_arc_file *files, size_t nr_files)
{
	size_t nr = 0;

	for (size_t f = 0; f < nr_files; f++) {
		for (size_t i = 0; i < files[f].nr; i++) {
			const struct pp_arc_node *node = &files[f].nodes[i];

			if (node->caller == PP_NO_CODE || node->callee == PP_NO_CODE)
				continue;
			ret[nr++] = (struct pp_loose_arc){
				{ files[f].caller_group, node->caller },
				{ files[f].callee_group, node->callee },
				files[f].file->class,
				node->count,
			};
		}
	}
	return nr;
}

/* Return whether caller and callee of the arc are in the same code without symbols. Such code may
 * have several unknown functions, so calls inside it are omitted (struct pp_place, .nameless). */
static bool has_no_owner(const struct pp_profile *profile, const struct pp_loose_arc *arc)
{
	return !compare_ends(arc->caller, arc->callee) &&
	       profile->codes[arc->caller.code].kind != PP_CODE_SYMBOL;
}

static int add_up(struct pp_profile *profile, const struct pp_loose_arc *loose, size_t nr)
{
	struct pp_arc *arc = NULL;

	profile->arcs = calloc(nr + 1, sizeof(*profile->arcs));
	if (!profile->arcs)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (has_no_owner(profile, &loose[i]))
			continue;
		if (!i || compare_loose(&loose[i], &loose[i - 1])) {
			arc = &profile->arcs[profile->nr_arcs];
			*arc = (struct pp_arc){ loose[i].caller, loose[i].callee,
						pp_block_alloc(&profile->blocks,
							       profile->nr_classes) };
			if (!arc->counts)
				return -ENOMEM;
			profile->nr_arcs++;
		}
		arc->counts[loose[i].class] += loose[i].count;
	}
	return 0;
}

static int compare_by_callee(const void *a, const void *b, void *arg)
{
	const struct pp_profile *profile = arg;
	const struct pp_arc *x = &profile->arcs[*(const uint32_t *)a],
			    *y = &profile->arcs[*(const uint32_t *)b];
	int d = compare_ends(x->callee, y->callee);

	return d ? d : compare_ends(x->caller, y->caller);
}

static int index_by_callee(struct pp_profile *profile)
{
	profile->arcs_by_callee = calloc(profile->nr_arcs + 1, sizeof(uint32_t));
	if (!profile->arcs_by_callee)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_arcs; i++)
		profile->arcs_by_callee[i] = i;
	qsort_r(profile->arcs_by_callee, profile->nr_arcs, sizeof(uint32_t), compare_by_callee,
		profile);
	return 0;
}

size_t pp_arcs_from(const struct pp_profile *profile, struct pp_end caller, size_t *first)
{
	const struct pp_arc *arcs = profile->arcs;
	size_t end;

	*first = op_partition_point(i, profile->nr_arcs, compare_ends(arcs[i].caller, caller) < 0);
	for (end = *first; end < profile->nr_arcs; end++)
		if (compare_ends(arcs[end].caller, caller))
			break;
	return end - *first;
}

size_t pp_arcs_to(const struct pp_profile *profile, struct pp_end callee, size_t *first)
{
	const uint32_t *by = profile->arcs_by_callee;
	const struct pp_arc *arcs = profile->arcs;
	size_t end;

	*first = op_partition_point(i, profile->nr_arcs,
				    compare_ends(arcs[by[i]].callee, callee) < 0);
	for (end = *first; end < profile->nr_arcs; end++)
		if (compare_ends(arcs[by[end]].callee, callee))
			break;
	return end - *first;
}

static int compare_end_items(const void *a, const void *b)
{
	return compare_ends(*(const struct pp_end *)a, *(const struct pp_end *)b);
}

/* Collect the callers and callees of all arcs, sorted and without duplicates. Return their
 * number. */
static size_t collect_ends(const struct pp_profile *profile, struct pp_end *ends)
{
	size_t nr = 0, kept = 0;

	for (size_t i = 0; i < profile->nr_arcs; i++) {
		ends[nr++] = profile->arcs[i].caller;
		ends[nr++] = profile->arcs[i].callee;
	}
	if (nr)
		qsort(ends, nr, sizeof(*ends), compare_end_items);
	for (size_t i = 0; i < nr; i++)
		if (!kept || compare_ends(ends[kept - 1], ends[i]))
			ends[kept++] = ends[i];
	return kept;
}

static int append_entries(struct pp_profile *profile, const struct pp_end *ends,
			  const unsigned char *has_entry, size_t nr)
{
	struct pp_entry *entries =
		reallocarray(profile->entries, profile->nr_entries + nr + 1, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	profile->entries = entries;
	for (size_t i = 0; i < nr; i++) {
		uint64_t *counts;

		if (has_entry[i])
			continue;
		counts = pp_block_alloc(&profile->blocks, profile->nr_classes);
		if (!counts)
			return -ENOMEM;
		entries[profile->nr_entries++] = (struct pp_entry){
			.counts = counts, .code = ends[i].code, .group = ends[i].group
		};
	}
	return 0;
}

/* For each caller or callee of an arc that has no entry (samples of its own) in the profile, add an
 * entry without counts. */
static int add_entries(struct pp_profile *profile)
{
	struct pp_end *ends = calloc(2 * profile->nr_arcs + 1, sizeof(*ends));
	unsigned char *has_entry = calloc(2 * profile->nr_arcs + 1, 1);
	int err = -ENOMEM;

	if (ends && has_entry) {
		size_t nr = collect_ends(profile, ends);

		for (size_t i = 0; i < profile->nr_entries && nr; i++) {
			const struct pp_end end = { profile->entries[i].group,
						    profile->entries[i].code };
			struct pp_end *found =
				bsearch(&end, ends, nr, sizeof(*ends), compare_end_items);

			if (found)
				has_entry[found - ends] = 1;
		}
		err = append_entries(profile, ends, has_entry, nr);
	}
	free(ends);
	free(has_entry);
	return err;
}

int pp_arcs_make(struct pp_profile *profile, struct pp_loose_arc *loose, size_t nr)
{
	int err;

	if (nr)
		qsort(loose, nr, sizeof(*loose), compare_loose);
	err = add_up(profile, loose, nr);
	if (!err)
		err = index_by_callee(profile);
	return err ? err : add_entries(profile);
}

int pp_arc_files_make(struct pp_profile *profile, const struct pp_arc_file *files, size_t nr)
{
	struct pp_loose_arc *loose;
	size_t nr_loose = 0;
	int err;

	for (size_t i = 0; i < nr; i++)
		nr_loose += files[i].nr;
	loose = calloc(nr_loose + 1, sizeof(*loose));
	if (!loose || nr_loose > UINT32_MAX) {
		free(loose);
		return -ENOMEM;
	}
	err = pp_arcs_make(profile, loose, collect(loose, files, nr));
	free(loose);
	return err;
}
