// SPDX-License-Identifier: GPL-2.0-or-later
/* diff.c -- a profile of the changes between two profiles. */
#include "config.h"
#include "pp/join/diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/event/spec.h"
#include "pp/base/block.h"
#include "pp/paths/trees.h"
#include "pp/profile/profile.h"
#include "pp/profile/short_titles.h"

/* Return whether the samples of @class are taken by CPU time, one sample for each period in
 * nanoseconds: the event is TIMER, or the event of .pct files. */
static bool is_cpu_time(const struct pp_class *class)
{
	return !strcmp(class->event, OP_EVENT_TIMER) || !strcmp(class->event, "CPU_TIME");
}

static bool same_class(const struct pp_class *x, const struct pp_class *y)
{
	return (!strcmp(x->event, y->event) || (is_cpu_time(x) && is_cpu_time(y))) &&
	       !x->count == !y->count;
}

int pp_diff_check(const struct pp_classes *x, const struct pp_classes *y, struct pp_log *log)
{
	if (x->nr != y->nr) {
		return op_fail(&log->error, -EINVAL,
			       "the two profiles have different numbers of columns (%zu and "
			       "%zu): choose one column of each with event:, cpu:, tgid: or "
			       "tid:, or sum the columns with --merge",
			       x->nr, y->nr);
	}
	for (size_t i = 0; i < x->nr; i++) {
		if (same_class(&x->items[i], &y->items[i]))
			continue;
		return op_fail(
			&log->error, -EINVAL,
			"the two profiles are of different events: %s:%" PRIu64 " and %s:%" PRIu64
			"; choose an event that both have with event:NAME, or profile both in the "
			"same way",
			x->items[i].event, x->items[i].count, y->items[i].event, y->items[i].count);
	}
	return 0;
}

int pp_diff_classes(struct pp_classes *ret, const struct pp_classes *first,
		    const struct pp_classes *second)
{
	struct pp_class *items = calloc(second->nr + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < second->nr; i++) {
		const struct pp_class *x = &first->items[i], *y = &second->items[i];
		bool is_task = second->axis == PP_AXIS_TGID || second->axis == PP_AXIS_TID;

		items[i] = *y;
		if (x->tgid != y->tgid && !is_task)
			items[i].tgid = OP_ALL;
		if (x->tid != y->tid && !is_task)
			items[i].tid = OP_ALL;
		if (x->cpu != y->cpu && second->axis != PP_AXIS_CPU)
			items[i].cpu = OP_ALL;
	}
	*ret = (struct pp_classes){ items, second->nr, second->axis, second->column };
	return 0;
}

/* An entry (a program's samples in a function) of one profile, with the names by which the same
 * function is looked up in the other profile. */
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

/* Compare functions by names, then by addresses: functions with the same name in one binary are
 * paired in the order of their addresses. */
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

/* The two profiles to join. In the joined profile, the codes (functions) and binaries of .first
 * come before the codes and binaries of .second. */
struct sides {
	const struct pp_profile *first, *second;
	/* for each group (a program's samples in a binary) of a profile: its index in the joined
	 * profile */
	uint32_t *first_groups, *second_groups;
	struct named *first_named, *second_named;
};

static int compare_binaries(const void *a, const void *b)
{
	return strcmp(((const struct pp_binary *)a)->title, ((const struct pp_binary *)b)->title);
}

/* Return the index, in the joined profile, of the binary @binary of the first profile. If the
 * second profile has the same binary, return the index of the second profile's binary. */
static uint32_t binary_of_first(const struct sides *sides, uint32_t binary)
{
	const struct pp_profile *second = sides->second;
	const struct pp_binary *found =
		bsearch(&sides->first->binaries[binary], second->binaries, second->nr_binaries,
			sizeof(*found), compare_binaries);

	return found ? sides->first->nr_binaries + (found - second->binaries) : binary;
}

static int join_codes(struct pp_profile *diff, const struct sides *sides)
{
	const struct pp_profile *first = sides->first, *second = sides->second;

	diff->codes = calloc(first->nr_codes + second->nr_codes + 1, sizeof(*diff->codes));
	diff->binaries =
		calloc(first->nr_binaries + second->nr_binaries + 1, sizeof(*diff->binaries));
	if (!diff->codes || !diff->binaries)
		return -ENOMEM;
	for (size_t i = 0; i < first->nr_binaries; i++)
		diff->binaries[diff->nr_binaries++] = first->binaries[i];
	for (size_t i = 0; i < second->nr_binaries; i++)
		diff->binaries[diff->nr_binaries++] = second->binaries[i];
	for (size_t i = 0; i < first->nr_codes; i++) {
		diff->codes[diff->nr_codes] = first->codes[i];
		diff->codes[diff->nr_codes++].binary =
			binary_of_first(sides, first->codes[i].binary);
	}
	for (size_t i = 0; i < second->nr_codes; i++) {
		diff->codes[diff->nr_codes] = second->codes[i];
		diff->codes[diff->nr_codes++].binary += first->nr_binaries;
	}
	return 0;
}

/* Add an array of counts of one profile to an array of counts of the differential profile, which
 * has a section for each of the two profiles. @first: @from belongs to the first profile. */
static void add_side(const struct pp_profile *diff, uint64_t *to, const uint64_t *from, bool first)
{
	const struct pp_diff_facts *facts = diff->diff;
	const struct pp_runs *runs = first ? facts->before : facts->after;
	size_t nr = diff->nr_classes, section = 3 + (first ? facts->nr_runs_after : 0);

	for (size_t i = 0; i < (runs && runs->nr ? runs->nr_source_classes : nr); i++) {
		size_t c = runs ? runs->class_of[i] : i;

		to[first ? nr + c : c] += from[i];
		if (first)
			to[2 * nr + c] += from[i];
		if (runs && runs->nr)
			to[(section + runs->run_of[i]) * nr + c] += from[i];
	}
}

/* Allocate the array of counts of a joined line, and add the counts of the line in both
 * profiles. @before or @after is NULL if that profile does not have the line. Return NULL if out
 * of memory. */
static uint64_t *pair(struct pp_profile *diff, const uint64_t *before, const uint64_t *after)
{
	uint64_t *counts = pp_block_alloc(&diff->blocks, diff->nr_counts);

	if (counts && after)
		add_side(diff, counts, after, false);
	if (counts && before)
		add_side(diff, counts, before, true);
	return counts;
}

static int compare_groups(const struct pp_group *x, const struct pp_group *y)
{
	int d = strcmp(x->image, y->image);

	return d ? d : strcmp(x->app, y->app);
}

/* Merge the groups (a program's samples in one binary) of both profiles. Both lists are sorted by
 * compare_groups(). */
static int join_groups(struct pp_profile *diff, struct sides *sides)
{
	const struct pp_profile *first = sides->first, *second = sides->second;
	size_t x = 0, y = 0;

	diff->groups = calloc(first->nr_groups + second->nr_groups + 1, sizeof(*diff->groups));
	sides->first_groups = calloc(first->nr_groups + 1, sizeof(*sides->first_groups));
	sides->second_groups = calloc(second->nr_groups + 1, sizeof(*sides->second_groups));
	if (!diff->groups || !sides->first_groups || !sides->second_groups)
		return -ENOMEM;
	while (x < first->nr_groups || y < second->nr_groups) {
		const struct pp_group *before = &first->groups[x], *after = &second->groups[y];
		int d = x == first->nr_groups ? 1 : y == second->nr_groups ? -1 :
			compare_groups(before, after);
		struct pp_group *group = &diff->groups[diff->nr_groups];

		*group = d >= 0 ? *after : *before;
		group->binary = d >= 0 ? after->binary + first->nr_binaries :
					 binary_of_first(sides, before->binary);
		group->counts = pair(diff, d <= 0 ? before->counts : NULL,
				     d >= 0 ? after->counts : NULL);
		if (!group->counts)
			return -ENOMEM;
		if (d <= 0)
			sides->first_groups[x++] = diff->nr_groups;
		if (d >= 0)
			sides->second_groups[y++] = diff->nr_groups;
		diff->nr_groups++;
	}
	return 0;
}

/* Add a line for the function @before of the first profile and the same function @after of the
 * second. One of them may be NULL. */
static int add_line(struct pp_profile *diff, const struct sides *sides, const struct named *before,
		    const struct named *after)
{
	struct pp_entry *entry = &diff->entries[diff->nr_entries];

	if (after) {
		entry->code = after->entry->code + sides->first->nr_codes;
		entry->group = sides->second_groups[after->entry->group];
	} else {
		entry->code = before->entry->code;
		entry->group = sides->first_groups[before->entry->group];
	}
	entry->counts = pair(diff, before ? before->entry->counts : NULL,
			     after ? after->entry->counts : NULL);
	if (!entry->counts)
		return -ENOMEM;
	diff->nr_entries++;
	return 0;
}

static int join_entries(struct pp_profile *diff, const struct sides *sides)
{
	const struct pp_profile *first = sides->first, *second = sides->second;
	const struct named *x = sides->first_named, *y = sides->second_named;
	const struct named *end_x = x + first->nr_entries, *end_y = y + second->nr_entries;
	int err = 0;

	diff->entries = calloc(first->nr_entries + second->nr_entries + 1, sizeof(*diff->entries));
	if (!diff->entries)
		return -ENOMEM;
	while (!err && (x < end_x || y < end_y)) {
		int d = x == end_x ? 1 : y == end_y ? -1 : compare_names(x, y);

		err = add_line(diff, sides, d <= 0 ? x : NULL, d >= 0 ? y : NULL);
		x += d <= 0;
		y += d >= 0;
	}
	return err;
}

/* Multiply *@count by @factor and round the product. If *@count was not 0, it stays at least 1. */
static void scale_count(uint64_t *count, double factor)
{
	uint64_t n = (uint64_t)((double)*count * factor + 0.5);

	*count = *count && !n ? 1 : n;
}

static const struct pp_class *class_of(const struct pp_runs *runs, size_t c)
{
	return runs ? &runs->classes.items[c] : NULL;
}

/* Return the ratio of the two profiles' sampling periods in class @c (an event, for example). One
 * sample stands for one period of events, so counts of samples are scaled by this ratio. */
static double period_of(const struct pp_diff_scale *scale, size_t c)
{
	const struct pp_class *first = class_of(scale->before, c),
			      *second = class_of(scale->after, c);

	return !scale->equal_totals && first && second && first->count && second->count ?
		       (double)first->count / (double)second->count : 1;
}

/* Return the factor by which the first profile's counts of class @c (an event, for example) are
 * multiplied. */
static double factor_of(const struct pp_profile *diff, const struct pp_diff_scale *scale, size_t c)
{
	uint64_t after = scale->equal_totals ? diff->totals[c] : scale->time_after,
		 before = scale->equal_totals ? diff->totals[diff->nr_classes + c] :
						scale->time_before;
	double factor = 1;

	if (before && after)
		factor = (double)after / (double)before;
	return factor * period_of(scale, c);
}

/* Return the weight of one sample of @class. The weight is larger than 1 if the event shared a
 * counter and was counted only part of the time. */
static double weight_of(const struct pp_class *class)
{
	return class && pp_class_is_scaled(class) ?
		       (double)class->enabled_ns / (double)class->running_ns : 1;
}

/* Return zeroed memory that is freed with the profile, or NULL. */
static void *alloc(struct pp_profile *diff, size_t size)
{
	return pp_block_alloc(&diff->blocks, (size + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}

/* Set the length of the arrays of counts, and allocate diff->diff, the facts about both profiles.
 * Return 0 or -ENOMEM. */
static int make_facts(struct pp_profile *diff, const struct pp_diff_scale *scale)
{
	size_t nr_before = scale->before ? scale->before->nr : 0,
	       nr_after = scale->after ? scale->after->nr : 0;

	diff->nr_counts = (3 + nr_before + nr_after) * diff->nr_classes;
	diff->diff = alloc(diff, sizeof(*diff->diff));
	if (!diff->diff)
		return -ENOMEM;
	*diff->diff = (struct pp_diff_facts){
		.nr_runs_before = nr_before, .nr_runs_after = nr_after,
		.before = scale->before, .after = scale->after,
	};
	diff->diff->classes = alloc(diff, (diff->nr_classes + 1) * sizeof(*diff->diff->classes));
	diff->diff->hidden = alloc(diff, diff->nr_counts * sizeof(*diff->diff->hidden));
	return diff->diff->classes && diff->diff->hidden ? 0 : -ENOMEM;
}

static void describe_classes(struct pp_profile *diff, const struct pp_diff_scale *scale)
{
	for (size_t c = 0; c < diff->nr_classes; c++) {
		const struct pp_class *first = class_of(scale->before, c),
				      *second = class_of(scale->after, c);

		diff->diff->classes[c] = (struct pp_diff_class){
			.is_sampled = !second || !strcmp(pp_class_unit(second), "samples"),
			.factor = factor_of(diff, scale, c),
			.period = period_of(scale, c),
			.weight_before = weight_of(first),
			.weight_after = weight_of(second),
		};
		if (!scale->equal_totals)
			continue;
		diff->diff->classes[c].total_before = (double)diff->totals[diff->nr_classes + c];
		diff->diff->classes[c].total_after = (double)diff->totals[c];
	}
}

/* Multiply all counts of the first profile by the scale factors of their classes (events, for
 * example). */
static void scale_before(struct pp_profile *diff)
{
	for (size_t c = 0; c < diff->nr_classes; c++) {
		size_t at = diff->nr_classes + c;
		double factor = diff->diff->classes[c].factor;

		if (factor == 1)
			continue;
		for (size_t i = 0; i < diff->nr_groups; i++)
			scale_count(&diff->groups[i].counts[at], factor);
		for (size_t i = 0; i < diff->nr_entries; i++)
			scale_count(&diff->entries[i].counts[at], factor);
		for (size_t i = 0; diff->paths && i < diff->paths->nr_nodes; i++)
			if (diff->paths->nodes[i].self)
				scale_count(&diff->paths->nodes[i].self[at], factor);
		scale_count(&diff->totals[at], factor);
	}
}

static int join(struct pp_profile *diff, struct sides *sides, const struct pp_diff_scale *scale)
{
	int err;

	diff->nr_classes = scale->after ? scale->after->classes.nr : sides->second->nr_classes;
	diff->nr_samples = sides->second->nr_samples;
	diff->cpu_type = sides->second->cpu_type;
	diff->cpu_speed = sides->second->cpu_speed;
	err = make_facts(diff, scale);
	if (!err)
		diff->totals = pair(diff, sides->first->totals, sides->second->totals);
	if (!err && !diff->totals)
		err = -ENOMEM;
	if (!err) {
		describe_classes(diff, scale);
		err = join_codes(diff, sides);
	}
	if (!err)
		err = join_groups(diff, sides);
	if (!err)
		err = join_entries(diff, sides);
	if (!err)
		err = pp_path_diff_make(diff, sides->first, sides->second, add_side);
	if (!err)
		scale_before(diff);
	if (!err && diff->paths)
		err = pp_paths_finish(diff->paths, diff, &diff->blocks);
	if (!err)
		err = pp_apps_make(diff);
	return err ? err : pp_short_titles_find(diff);
}

int pp_diff_make(struct pp_profile **ret, const struct pp_profile *first,
		 const struct pp_profile *second, const struct pp_diff_scale *scale)
{
	struct pp_profile *diff = calloc(1, sizeof(*diff));
	struct sides sides = {
		.first = first,
		.second = second,
		.first_named = name_entries(first),
		.second_named = name_entries(second),
	};
	int err = -ENOMEM;

	if (diff && sides.first_named && sides.second_named)
		err = join(diff, &sides, scale);
	free(sides.first_named);
	free(sides.second_named);
	free(sides.first_groups);
	free(sides.second_groups);
	if (err)
		pp_profile_destroy(diff);
	else
		*ret = diff;
	return err;
}

uint64_t pp_diff_size(const struct pp_profile *diff, const uint64_t *counts)
{
	const uint64_t *before = pp_diff_before(diff, counts);
	uint64_t sum = 0;

	for (size_t c = 0; c < diff->nr_classes; c++)
		sum += counts[c] > before[c] ? counts[c] - before[c] : before[c] - counts[c];
	return sum;
}

/* Sort key of a line of the profile: the size of the line's change, and the line's index before
 * sorting. */
struct place {
	uint64_t change;
	size_t index;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->change != y->change)
		return x->change > y->change ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Sort an array of @nr structs of @size bytes by the size of their change. Each struct has a
 * pointer to its counts at the offset @counts_at. */
static int sort_lines(const struct pp_profile *diff, void *lines, size_t nr, size_t size,
		      size_t counts_at, bool reverse)
{
	struct place *places = calloc(nr + 1, sizeof(*places));
	char *from = malloc(nr * size + 1), *to = lines;

	if (!places || !from) {
		free(places);
		free(from);
		return -ENOMEM;
	}
	if (nr)
		memcpy(from, lines, nr * size);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *counts;

		memcpy(&counts, from + i * size + counts_at, sizeof(counts));
		places[i] = (struct place){ pp_diff_size(diff, counts), i };
	}
	qsort(places, nr, sizeof(*places), compare_places);
	for (size_t i = 0; i < nr; i++)
		memcpy(to + (reverse ? nr - 1 - i : i) * size, from + places[i].index * size, size);
	free(places);
	free(from);
	return 0;
}

int pp_diff_sort(struct pp_profile *diff, bool reverse)
{
	int err = sort_lines(diff, diff->entries, diff->nr_entries, sizeof(*diff->entries),
			     offsetof(struct pp_entry, counts), reverse);

	if (!err)
		err = sort_lines(diff, diff->apps, diff->nr_apps, sizeof(*diff->apps),
				 offsetof(struct pp_app, counts), reverse);
	for (size_t i = 0; i < diff->nr_apps && !err; i++)
		err = sort_lines(diff, diff->apps[i].dependents, diff->apps[i].nr_dependents,
				 sizeof(*diff->apps[i].dependents),
				 offsetof(struct pp_dependent, counts), reverse);
	return err;
}
