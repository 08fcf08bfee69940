// SPDX-License-Identifier: GPL-2.0-or-later
/* diff.c -- joins two profiles by the names of functions. */
#include "config.h"
#include "pp/profile/diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pp/profile/block.h"

static int same_class(const struct pp_class *x, const struct pp_class *y)
{
	return x->count == y->count && !strcmp(x->event, y->event);
}

int pp_diff_check(const struct pp_session *first, const struct pp_session *second,
		  struct pp_log *log)
{
	const struct pp_classes *x = &first->classes, *y = &second->classes;

	if (x->nr != y->nr) {
		pp_error(log,
			 "the two profiles have different columns: %zu and %zu. Choose by event:, "
			 "cpu:, tgid: or tid:, or add up with --merge",
			 x->nr, y->nr);
		return PP_ERR_TOLD;
	}
	for (size_t i = 0; i < x->nr; i++) {
		if (same_class(&x->items[i], &y->items[i]))
			continue;
		pp_error(log,
			 "the two profiles are of different events: %s:%" PRIu64 " and %s:%" PRIu64,
			 x->items[i].event, x->items[i].count, y->items[i].event,
			 y->items[i].count);
		return PP_ERR_TOLD;
	}
	return 0;
}

/* An entry with what it is known by. */
struct named {
	const char *name, *image, *app;
	const struct pp_entry *entry;
	uint64_t vma;
};

static int compare_names(const struct named *x, const struct named *y)
{
	int d = strcmp(x->name, y->name);

	if (!d)
		d = strcmp(x->image, y->image);
	return d ? d : strcmp(x->app, y->app);
}

/* Functions of one name in one binary are paired in the order they lie there. */
static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int d = compare_names(x, y);

	return d ? d : x->vma < y->vma ? -1 : x->vma > y->vma;
}

static struct named *name_entries(const struct pp_profile *profile)
{
	struct named *named = calloc(profile->nr_entries + 1, sizeof(*named));

	for (size_t i = 0; named && i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];
		const struct pp_code *code = pp_entry_code(profile, entry);
		const struct pp_group *group = pp_entry_group(profile, entry);

		named[i] =
			(struct named){ code->name, group->image, group->app, entry, code->vma };
	}
	if (named && profile->nr_entries)
		qsort(named, profile->nr_entries, sizeof(*named), compare_named);
	return named;
}

/* What @first has stands before what @second has, in every array. */
static int join(struct pp_profile *diff, const struct pp_profile *first,
		const struct pp_profile *second)
{
	diff->codes = calloc(first->nr_codes + second->nr_codes + 1, sizeof(*diff->codes));
	diff->groups = calloc(first->nr_groups + second->nr_groups + 1, sizeof(*diff->groups));
	diff->binaries =
		calloc(first->nr_binaries + second->nr_binaries + 1, sizeof(*diff->binaries));
	diff->entries = calloc(first->nr_entries + second->nr_entries + 1, sizeof(*diff->entries));
	diff->totals = pp_block_alloc(&diff->blocks, diff->nr_classes);
	if (!diff->codes || !diff->groups || !diff->binaries || !diff->entries || !diff->totals)
		return -ENOMEM;
	memcpy(diff->totals, second->totals, diff->nr_classes * sizeof(*diff->totals));
	for (int i = 0; i < 2; i++) {
		const struct pp_profile *from = i ? second : first;
		size_t nr_binaries = diff->nr_binaries;

		for (size_t c = 0; c < from->nr_codes; c++) {
			diff->codes[diff->nr_codes] = from->codes[c];
			diff->codes[diff->nr_codes++].binary += nr_binaries;
		}
		for (size_t g = 0; g < from->nr_groups; g++) {
			diff->groups[diff->nr_groups] = from->groups[g];
			diff->groups[diff->nr_groups++].binary += nr_binaries;
		}
		for (size_t b = 0; b < from->nr_binaries; b++)
			diff->binaries[diff->nr_binaries++] = from->binaries[b];
	}
	return 0;
}

/* @before or @after may be NULL, not both. */
static int add_line(struct pp_profile *diff, const struct pp_profile *first,
		    const struct named *before, const struct named *after)
{
	size_t nr = diff->nr_classes, size = nr * sizeof(uint64_t);
	struct pp_entry *entry = &diff->entries[diff->nr_entries];
	uint64_t *counts = pp_block_alloc(&diff->blocks, 2 * nr + 1);

	if (!counts)
		return -ENOMEM;
	*entry = *(after ? after : before)->entry;
	entry->details = 0;
	if (after) {
		entry->code += first->nr_codes;
		entry->group += first->nr_groups;
	}
	memcpy(counts, entry->counts, size);
	if (before)
		memcpy(counts + nr, before->entry->counts, size);
	counts[2 * nr] = !before ? PP_DIFF_NEW : !after ? PP_DIFF_GONE : PP_DIFF_BOTH;
	entry->counts = counts;
	diff->nr_entries++;
	return 0;
}

static int match(struct pp_profile *diff, const struct pp_profile *first,
		 const struct pp_profile *second, const struct named *x, const struct named *y)
{
	const struct named *end_x = x + first->nr_entries, *end_y = y + second->nr_entries;
	int err = 0;

	while (!err && (x < end_x || y < end_y)) {
		int d = x == end_x ? 1 : y == end_y ? -1 : compare_names(x, y);

		err = add_line(diff, first, d <= 0 ? x : NULL, d >= 0 ? y : NULL);
		x += d <= 0;
		y += d >= 0;
	}
	return err;
}

int pp_diff_make(struct pp_profile **ret, const struct pp_profile *first,
		 const struct pp_profile *second)
{
	struct pp_profile *diff = calloc(1, sizeof(*diff));
	struct named *x = name_entries(first), *y = name_entries(second);
	int err = -ENOMEM;

	if (diff && x && y) {
		diff->nr_classes = second->nr_classes;
		diff->cpu_type = second->cpu_type;
		diff->cpu_speed = second->cpu_speed;
		err = join(diff, first, second);
		if (!err)
			err = match(diff, first, second, x, y);
	}
	free(x);
	free(y);
	if (err)
		pp_profile_destroy(diff);
	else
		*ret = diff;
	return err;
}

void pp_diff_scale(struct pp_profile *first, const struct pp_profile *second)
{
	for (size_t c = 0; c < first->nr_classes; c++) {
		double factor = first->totals[c] ? (double)second->totals[c] / first->totals[c] : 1;

		for (size_t i = 0; i < first->nr_entries; i++) {
			uint64_t *count = &first->entries[i].counts[c];

			*count = (uint64_t)((double)*count * factor + 0.5);
		}
	}
}

/* A place in the list, and by how many samples it changed, in all classes together. */
struct place {
	uint64_t change;
	size_t index;
};

static uint64_t change_of(const struct pp_profile *diff, const uint64_t *counts)
{
	const uint64_t *before = pp_diff_before(diff, counts);
	int both = pp_diff_change(diff, counts) == PP_DIFF_BOTH;
	uint64_t sum = 0;

	for (size_t c = 0; c < diff->nr_classes; c++) {
		uint64_t was = both ? before[c] : 0;

		sum += counts[c] > was ? counts[c] - was : was - counts[c];
	}
	return sum;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->change != y->change)
		return x->change > y->change ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

int pp_diff_sort(struct pp_profile *diff, int reverse)
{
	size_t nr = diff->nr_entries;
	struct place *places = calloc(nr + 1, sizeof(*places));
	struct pp_entry *sorted = calloc(nr + 1, sizeof(*sorted));

	if (!places || !sorted) {
		free(places);
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		places[i] = (struct place){ change_of(diff, diff->entries[i].counts), i };
	qsort(places, nr, sizeof(*places), compare_places);
	for (size_t i = 0; i < nr; i++)
		sorted[reverse ? nr - 1 - i : i] = diff->entries[places[i].index];
	free(diff->entries);
	diff->entries = sorted;
	free(places);
	return 0;
}
