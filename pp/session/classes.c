// SPDX-License-Identifier: GPL-2.0-or-later
/* classes.c -- classes (columns) of sample files, and the axis in which the classes differ. */
#include "config.h"
#include "pp/session/classes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "libop/event/spec.h"
#include "libop/raw/csp.h"
#include "libop/raw/probe_words.h"

#define MAX_VALUES 5	/* maximum number of values of an axis that a message lists */

struct axis_words {
	const char *name;
	/* hint for an error message: how the user selects one value of the axis */
	const char *choose;
	/* hint for an error message: how to sum the samples over all values of the axis; NULL:
	 * impossible */
	const char *merge;
};

static const struct axis_words axis_words[] = {
	[PP_AXIS_EVENT] = { "event", "event:, count: or unitmask:", NULL },
	[PP_AXIS_TGID] = { "tgid", "tgid:", "--merge=tgid" },
	[PP_AXIS_TID] = { "tid", "tid:", "--merge=tid" },
	[PP_AXIS_CPU] = { "cpu", "cpu:", "--merge=cpu" },
	[PP_AXIS_SOURCE] = { "source", "session: or profile:", "omit --by-source" },
};

/* The columns of a database, PP_AXIS_SOURCE. */
static const struct axis_words store_words[] = {
	{ "host", "host:", "omit --by or --worst" },
	{ "service", "service:", "omit --by" },
	{ "version", "version:", "omit --by" },
	{ "time", "--since and --until", "omit --by" },
};

static const struct axis_words *words_of(const struct pp_classes *classes, enum pp_axis axis)
{
	for (size_t i = 0; axis == PP_AXIS_SOURCE && classes->column &&
	     i < sizeof(store_words) / sizeof(store_words[0]); i++)
		if (!strcmp(classes->column, store_words[i].name))
			return &store_words[i];
	return &axis_words[axis];
}

const char *pp_axis_choose(const struct pp_classes *classes)
{
	return words_of(classes, classes->axis)->choose;
}

const char *pp_axis_merge(const struct pp_classes *classes)
{
	static const char *const ways[] = {
		[PP_AXIS_NONE] = "",
		[PP_AXIS_EVENT] = "--merge=unitmask adds up unit masks",
		[PP_AXIS_TGID] = "--merge=tgid adds them up",
		[PP_AXIS_TID] = "--merge=tid adds them up",
		[PP_AXIS_CPU] = "--merge=cpu adds them up",
		[PP_AXIS_SOURCE] = "omit --by-source to sum them",
	};

	if (classes->axis == PP_AXIS_SOURCE && classes->column)
		return words_of(classes, classes->axis)->merge;
	return ways[classes->axis];
}

/* Return whether a probe counts every event of the class (column) instead of sampling. Examples are
 * "# returns" and "# SIGSEGVs". */
static bool is_unsampled(const struct pp_class *class)
{
	return class->event[0] == '#';
}

static int compare_event(const struct pp_class *x, const struct pp_class *y)
{
	int d = is_unsampled(x) - is_unsampled(y);

	if (!d)
		d = strcmp(x->event, y->event);
	if (!d)
		d = op_compare_u64(x->count, y->count);
	return d ? d : op_compare_u64(x->um, y->um);
}

static int compare_classes(const void *a, const void *b)
{
	const struct pp_class *x = a, *y = b;
	int d = compare_event(x, y);

	if (!d)
		d = op_compare_s64(x->tgid, y->tgid);
	if (!d)
		d = op_compare_s64(x->tid, y->tid);
	if (!d)
		d = op_compare_s64(x->cpu, y->cpu);
	return d || !x->source ? d : strcmp(x->source, y->source);
}

unsigned int pp_merge_reasons(const struct pp_spec *spec, unsigned int merge)
{
	bool sums = spec->sums_reasons && !spec->tags[PP_TAG_UNITMASK].nr;

	return sums ? merge | PP_MERGE_REASONS : merge;
}

uint32_t pp_class_um(const char *event, uint32_t um, unsigned int merge)
{
	if (merge & PP_MERGE_UNITMASK)
		return 0;
	return merge & PP_MERGE_REASONS && !strcmp(event, OP_EVENT_OFFCPU) ? 0 : um;
}

static struct pp_class class_of(const struct pp_files *files, const struct pp_sample_file *file,
				unsigned int merge)
{
	const struct op_sample_name *name = &file->name;
	struct pp_class class = {
		.source = files->sources ? files->sources[file->session] : NULL,
		.event = name->event,
		.count = name->count,
		.um = pp_class_um(name->event, name->um, merge),
		.tgid = merge & PP_MERGE_TGID ? OP_ALL : name->tgid,
		.tid = merge & (PP_MERGE_TID | PP_MERGE_TGID) ? OP_ALL : name->tid,
		.cpu = merge & PP_MERGE_CPU ? OP_ALL : name->cpu,
	};

	return class;
}

static const struct pp_class *class_find(const struct pp_classes *classes,
					 const struct pp_class *key)
{
	/* Compare numbers before strings, which is faster: each sample file is compared with each
	 * class (column), and most strings are equal. */
	for (size_t i = 0; i < classes->nr; i++)
		if (classes->items[i].tid == key->tid && classes->items[i].cpu == key->cpu &&
		    !compare_classes(&classes->items[i], key))
			return &classes->items[i];
	return NULL;
}

static int class_add(struct pp_classes *classes, const struct pp_class *key)
{
	if (op_grow(&classes->items, classes->nr))
		return -ENOMEM;
	classes->items[classes->nr] = *key;
	classes->items[classes->nr].event = strdup(key->event);
	if (!classes->items[classes->nr].event)
		return -ENOMEM;
	classes->nr++;
	return 0;
}

static bool is_of_calls(const char *event)
{
	const struct raw_probe_kind *kind;

	for (size_t i = 0; (kind = raw_probe_kind(i)); i++)
		for (const char *const *metric = kind->metrics; *metric; metric++)
			if (!strcmp(*metric, event))
				return true;
	return false;
}

const char *pp_class_unit(const struct pp_class *class)
{
	if (!strncmp(class->event, "bytes ", 6))
		return "bytes";
	if (!strcmp(class->event, RAW_CSP_RETURNS))
		return "returns";
	return is_of_calls(class->event) ? "calls" : "samples";
}

void pp_classes_release(struct pp_classes *classes)
{
	for (size_t i = 0; i < classes->nr; i++)
		free(classes->items[i].event);
	free(classes->items);
	*classes = (struct pp_classes){ 0 };
}

static bool axis_differs(enum pp_axis axis, const struct pp_class *x, const struct pp_class *y)
{
	switch (axis) {
	case PP_AXIS_EVENT:
		return compare_event(x, y) != 0;
	case PP_AXIS_TGID:
		return x->tgid != y->tgid;
	case PP_AXIS_TID:
		return x->tid != y->tid;
	case PP_AXIS_CPU:
		return x->cpu != y->cpu;
	case PP_AXIS_SOURCE:
		return x->source && strcmp(x->source, y->source);
	case PP_AXIS_NONE:
		break;
	}
	return false;
}

static bool axis_varies(const struct pp_classes *classes, enum pp_axis axis)
{
	for (size_t i = 1; i < classes->nr; i++)
		if (axis_differs(axis, &classes->items[0], &classes->items[i]))
			return true;
	return false;
}

/* Return whether no profiled process has more than one thread, so that columns by thread and by
 * process would be the same. */
static bool tids_are_tgids(const struct pp_classes *classes)
{
	for (size_t i = 0; i < classes->nr; i++)
		if (classes->items[i].tid != classes->items[i].tgid)
			return false;
	return true;
}

static void print_number(FILE *f, int n)
{
	if (n == OP_ALL)
		fputs("not recorded", f);
	else
		op_clean_printf(f, "%d", n);
}

static void print_value(FILE *f, enum pp_axis axis, const struct pp_class *class)
{
	switch (axis) {
	case PP_AXIS_EVENT:
		op_clean_printf(f, "%s:%" PRIu64 ":0x%02" PRIx32, class->event, class->count,
				class->um);
		break;
	case PP_AXIS_TGID:
		print_number(f, class->tgid);
		break;
	case PP_AXIS_TID:
		print_number(f, class->tid);
		break;
	case PP_AXIS_CPU:
		print_number(f, class->cpu);
		break;
	case PP_AXIS_SOURCE:
		op_clean_printf(f, "%s", class->source);
		break;
	case PP_AXIS_NONE:
		break;
	}
}

/* Return whether class (column) @i has another value on @axis than each class before it. */
static bool is_first(const struct pp_classes *classes, enum pp_axis axis, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!axis_differs(axis, &classes->items[j], &classes->items[i]))
			return false;
	return true;
}

static void print_values(FILE *f, const struct pp_classes *classes, enum pp_axis axis)
{
	size_t nr = 0;

	for (size_t i = 0; i < classes->nr; i++) {
		if (!is_first(classes, axis, i))
			continue;
		if (nr < MAX_VALUES) {
			if (nr)
				fputs(", ", f);
			print_value(f, axis, &classes->items[i]);
		}
		nr++;
	}
	if (nr > MAX_VALUES)
		op_clean_printf(f, " and %zu more", nr - MAX_VALUES);
}

static void print_suggestion(FILE *f, const struct axis_words *words)
{
	op_clean_printf(f, "\n  To choose among %ss add %s", words->name, words->choose);
	if (words->merge)
		op_clean_printf(f, ", to add them up %s", words->merge);
	else
		fputs(" (--merge=unitmask adds up unit masks)", f);
}

static int report_conflict(const struct pp_classes *classes, enum pp_axis a, enum pp_axis b,
			 struct pp_log *log)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -ENOMEM;
	op_clean_printf(f, "samples are separated by %s (", words_of(classes, a)->name);
	print_values(f, classes, a);
	op_clean_printf(f, ") and by %s (", words_of(classes, b)->name);
	print_values(f, classes, b);
	fputs("), but a report shows columns for only one of the two:", f);
	print_suggestion(f, words_of(classes, a));
	print_suggestion(f, words_of(classes, b));
	return op_fail_lines(&log->error, -EINVAL, f, &text);
}

static int find_axis(struct pp_classes *classes, bool any_axes, struct pp_log *log)
{
	enum pp_axis axis;

	for (axis = PP_AXIS_EVENT; axis <= PP_AXIS_SOURCE; axis++) {
		if (!axis_varies(classes, axis))
			continue;
		if (axis == PP_AXIS_TID && classes->axis == PP_AXIS_TGID && tids_are_tgids(classes))
			continue;
		if (classes->axis != PP_AXIS_NONE && any_axes)
			continue;
		if (classes->axis != PP_AXIS_NONE)
			return report_conflict(classes, classes->axis, axis, log);
		classes->axis = axis;
	}
	return 0;
}

/* Log an error that names the first axis (such as CPU or process) in which the classes differ,
 * and return -EINVAL. After the user has selected or merged that axis, the next run may name
 * another axis. */
static int report_too_many(const struct pp_classes *classes, bool any_axes, struct pp_log *log)
{
	const char *what = any_axes ? "kinds of samples would be separated" :
				      "columns would be needed";
	int max = any_axes ? PP_MAX_CLASSES : PP_MAX_COLUMNS;
	const struct axis_words *words;
	enum pp_axis axis = PP_AXIS_EVENT;

	while (axis < PP_AXIS_SOURCE && !axis_varies(classes, axis))
		axis++;
	words = words_of(classes, axis);
	if (axis == PP_AXIS_SOURCE && classes->column)
		return op_fail(&log->error, -EINVAL, "more than %d %s, one for each %s: choose %ss by "
			       "%s, or a shorter time", max, what, words->name, words->name,
			       words->choose);
	return op_fail(&log->error, -EINVAL,
		       "more than %d %s, one for each %s: add %s to choose one%s%s%s", max, what,
		       words->name, words->choose, words->merge ? ", or " : "",
		       words->merge ? words->merge : "", words->merge ? " to sum them" : "");
}

static int collect(struct pp_classes *classes, const struct pp_files *all,
		   const struct pp_sample_file *files, size_t nr, unsigned int merge, bool any_axes,
		   struct pp_log *log)
{
	for (size_t i = 0; i < nr; i++) {
		struct pp_class key = class_of(all, &files[i], merge);

		if (class_find(classes, &key))
			continue;
		if (classes->nr == PP_MAX_CLASSES)
			return report_too_many(classes, any_axes, log);
		if (class_add(classes, &key))
			return -ENOMEM;
	}
	return 0;
}

static void assign(const struct pp_classes *classes, const struct pp_files *all,
		   struct pp_sample_file *files, size_t nr, unsigned int merge)
{
	for (size_t i = 0; i < nr; i++) {
		struct pp_class key = class_of(all, &files[i], merge);

		files[i].class = class_find(classes, &key) - classes->items;
	}
}

/* Mark values that a session did not record as unknown: if classes (columns) differ in an axis, a
 * class without a value on this axis is from such a session. If all classes lack the value, they
 * are sums over the axis, so mark none of them. */
static void mark_unknown(struct pp_classes *classes)
{
	bool tgid = axis_varies(classes, PP_AXIS_TGID), tid = axis_varies(classes, PP_AXIS_TID);
	bool cpu = axis_varies(classes, PP_AXIS_CPU);

	for (size_t i = 0; i < classes->nr; i++) {
		struct pp_class *class = &classes->items[i];

		class->tgid_unknown = tgid && class->tgid == OP_ALL;
		class->tid_unknown = tid && class->tid == OP_ALL;
		class->cpu_unknown = cpu && class->cpu == OP_ALL;
	}
}

int pp_classes_make(struct pp_classes *ret, struct pp_files *files, unsigned int merge,
		    bool any_axes, struct pp_log *log)
{
	struct pp_classes classes = { .column = files->column };
	int err = collect(&classes, files, files->items, files->nr, merge, any_axes, log);

	if (!err)
		err = collect(&classes, files, files->arcs, files->nr_arcs, merge, any_axes, log);
	if (!err)
		err = collect(&classes, files, files->trees, files->nr_trees, merge, any_axes, log);
	if (!err && classes.nr)
		qsort(classes.items, classes.nr, sizeof(*classes.items), compare_classes);
	mark_unknown(&classes);
	if (!err)
		err = find_axis(&classes, any_axes, log);
	if (!err && !any_axes && classes.nr > PP_MAX_COLUMNS)
		err = report_too_many(&classes, any_axes, log);
	if (err) {
		pp_classes_release(&classes);
		return err;
	}
	assign(&classes, files, files->items, files->nr, merge);
	assign(&classes, files, files->arcs, files->nr_arcs, merge);
	assign(&classes, files, files->trees, files->nr_trees, merge);
	*ret = classes;
	return 0;
}
