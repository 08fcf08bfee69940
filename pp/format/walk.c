// SPDX-License-Identifier: GPL-2.0-or-later
/* walk.c -- visits programs with their images and symbols, in the order of the report. */
#include "config.h"
#include "pp/format/walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/plural.h"
#include "pp/join/diff.h"
#include "pp/profile/arcs.h"
#include "pp/session/session.h"
#include "pp/session/tasks.h"
#include "pp/session/units.h"

enum { PROCESS, PROGRAM, IMAGE, SYMBOL, TOTAL, BELOW, LEVELS };

struct walker {
	struct pp_walk walk;
	const struct pp_walk_ops *ops;
	/* for each class of samples: index of the column that sums it */
	unsigned int *column_of;
	/* classes of samples of task t (a process and thread): classes[first_class[t]] to
	 * classes[first_class[t + 1] - 1] */
	size_t *first_class, *classes;
	/* groups of samples (a program and image each), sorted by program, then image */
	const struct pp_group **groups;
	/* entries (functions) of group g (a program and image): entries[first_entry[g]] to
	 * entries[first_entry[g + 1] - 1] */
	size_t *first_entry, *entries;
	/* for each level of the walk (PROCESS to BELOW): buffer for counts by column */
	uint64_t *counts[LEVELS];
	/* number of the current task (a process and thread) */
	size_t task;
	/* number of sampled addresses of the current function */
	size_t nr_details;
};

void pp_column_title(char *buf, size_t size, const struct pp_column *column)
{
	char um[16] = "", cpu[24] = "";

	if (column->um)
		snprintf(um, sizeof(um), ":0x%02" PRIx32, column->um);
	if (column->cpu != OP_ALL)
		snprintf(cpu, sizeof(cpu), " cpu:%d", column->cpu);
	else if (column->cpu_unknown)
		snprintf(cpu, sizeof(cpu), " cpu:?");
	snprintf(buf, size, "%s:%" PRIu64 "%s%s%s%s", column->event, column->count, um, cpu,
		 column->source ? " " : "", column->source ? column->source : "");
}

static bool same_event(const struct pp_column *a, const struct pp_class *b)
{
	return a->count == b->count && a->um == b->um && !strcmp(a->event, b->event);
}

static unsigned int find_column(struct walker *w, const struct pp_class *class)
{
	struct pp_column *columns = w->walk.columns;
	size_t nr = w->walk.nr_columns;
	unsigned int event_index = w->walk.nr_events;

	for (size_t i = 0; i < nr; i++) {
		if (!same_event(&columns[i], class))
			continue;
		event_index = columns[i].event_index;
		if (columns[i].cpu == class->cpu && columns[i].source == class->source)
			return i;
	}
	columns[nr] = (struct pp_column){.event = class->event,
					 .count = class->count,
					 .um = class->um,
					 .cpu = class->cpu,
					 .cpu_unknown = class->cpu_unknown,
					 .source = class->source,
					 .unit = pp_class_unit(class),
					 .event_index = event_index};
	if (pp_class_is_scaled(class)) {
		columns[nr].enabled_ns = class->enabled_ns;
		columns[nr].running_ns = class->running_ns;
	}
	w->walk.nr_columns++;
	if (event_index == w->walk.nr_events)
		w->walk.nr_events++;
	return nr;
}

static unsigned int find_task(struct walker *w, const struct pp_class *class)
{
	size_t i;

	for (i = 0; i < w->walk.nr_tasks; i++)
		if (w->walk.tasks[i].tgid == class->tgid && w->walk.tasks[i].tid == class->tid)
			return i;
	w->walk.tasks[w->walk.nr_tasks++] =
		(struct pp_walk_task){class->tgid, class->tid, class->task_name};
	return i;
}

static size_t count_cpus(const struct pp_classes *classes)
{
	size_t nr = 0;

	for (size_t i = 0; i < classes->nr; i++) {
		size_t j = 0;

		while (j < i && classes->items[j].cpu != classes->items[i].cpu)
			j++;
		nr += j == i && classes->items[i].cpu != OP_ALL;
	}
	return nr;
}

/* Sort the classes of samples by task, which is a process and thread (counting sort). */
static int index_classes(struct walker *w, const struct pp_classes *classes)
{
	unsigned int *task_of = calloc(classes->nr, sizeof(*task_of));

	w->walk.tasks = calloc(classes->nr, sizeof(*w->walk.tasks));
	w->first_class = calloc(classes->nr + 2, sizeof(*w->first_class));
	w->classes = calloc(classes->nr, sizeof(*w->classes));
	if (!task_of || !w->walk.tasks || !w->first_class || !w->classes) {
		free(task_of);
		return -ENOMEM;
	}
	for (size_t i = 0; i < classes->nr; i++) {
		task_of[i] = find_task(w, &classes->items[i]);
		w->first_class[task_of[i] + 2]++;
	}
	for (size_t i = 2; i < classes->nr + 2; i++)
		w->first_class[i] += w->first_class[i - 1];
	for (size_t i = 0; i < classes->nr; i++)
		w->classes[w->first_class[task_of[i] + 1]++] = i;
	free(task_of);
	return 0;
}

size_t pp_walk_nr_counts(const struct pp_walk *walk)
{
	return walk->profile->nr_counts / walk->profile->nr_classes * walk->nr_columns;
}

static int find_columns(struct walker *w, const struct pp_classes *classes)
{
	w->walk.columns = calloc(classes->nr, sizeof(*w->walk.columns));
	w->column_of = calloc(classes->nr, sizeof(*w->column_of));
	if (!w->walk.columns || !w->column_of || index_classes(w, classes))
		return -ENOMEM;
	for (size_t i = 0; i < classes->nr; i++)
		w->column_of[i] = find_column(w, &classes->items[i]);
	for (size_t i = 0; i < w->walk.nr_tasks; i++)
		w->walk.has_processes |=
			w->walk.tasks[i].tgid != OP_ALL || w->walk.tasks[i].tid != OP_ALL;
	w->walk.nr_cpus = count_cpus(classes);
	w->walk.has_units = pp_has_units(&w->walk.report->session->files);
	for (size_t i = 0; i < LEVELS; i++) {
		w->counts[i] = calloc(pp_walk_nr_counts(&w->walk) + 1, sizeof(*w->counts[i]));
		if (!w->counts[i])
			return -ENOMEM;
	}
	return 0;
}

static int compare_groups(const void *a, const void *b)
{
	const struct pp_group *x = *(const struct pp_group *const *)a,
			      *y = *(const struct pp_group *const *)b;
	int d = strcmp(x->app, y->app);

	return d ? d : strcmp(x->image, y->image);
}

static int index_groups(struct walker *w)
{
	const struct pp_profile *profile = w->walk.profile;

	w->groups = calloc(profile->nr_groups + 1, sizeof(*w->groups));
	w->first_entry = calloc(profile->nr_groups + 2, sizeof(*w->first_entry));
	w->entries = calloc(profile->nr_entries + 1, sizeof(*w->entries));
	if (!w->groups || !w->first_entry || !w->entries)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_groups; i++)
		w->groups[i] = &profile->groups[i];
	qsort(w->groups, profile->nr_groups, sizeof(*w->groups), compare_groups);
	/* Sort the entries (a program's samples in a function) by group, which is a program and
	 * image (stable counting sort). */
	for (size_t i = 0; i < profile->nr_entries; i++)
		w->first_entry[profile->entries[i].group + 2]++;
	for (size_t i = 2; i < profile->nr_groups + 2; i++)
		w->first_entry[i] += w->first_entry[i - 1];
	for (size_t i = 0; i < profile->nr_entries; i++)
		w->entries[w->first_entry[profile->entries[i].group + 1]++] = i;
	return 0;
}

static const struct pp_group *find_group(const struct walker *w, const char *app, const char *image)
{
	const struct pp_group key = { .app = app, .image = image }, *wanted = &key;
	const struct pp_group *const *found = bsearch(&wanted, w->groups,
						      w->walk.profile->nr_groups,
						      sizeof(*w->groups), compare_groups);

	return found ? *found : NULL;
}

/* Return the index of the column to which element @i of one of the profile's arrays of counts
 * belongs. */
static size_t column_of(const struct walker *w, size_t i)
{
	size_t nr = w->walk.profile->nr_classes;

	return i / nr * w->walk.nr_columns + w->column_of[i % nr];
}

static void clear(const struct walker *w, uint64_t *counts)
{
	memset(counts, 0, pp_walk_nr_counts(&w->walk) * sizeof(*counts));
}

bool pp_walk_task_counts(const struct pp_walk *walk, size_t task, const uint64_t *counts,
			 uint64_t *to)
{
	const struct walker *w = (const struct walker *)walk;
	size_t nr = walk->profile->nr_classes;
	uint64_t any = 0;

	clear(w, to);
	for (size_t k = w->first_class[task]; k < w->first_class[task + 1]; k++) {
		for (size_t i = w->classes[k]; i < walk->profile->nr_counts; i += nr) {
			to[column_of(w, i)] += counts[i];
			any |= counts[i];
		}
	}
	return any != 0;
}

/* Sum @counts of the current task (process and thread) by column, in the buffer of level @level.
 * Return false if all sums are 0. */
static bool sum_task(struct walker *w, int level, const uint64_t *counts)
{
	return pp_walk_task_counts(&w->walk, w->task, counts, w->counts[level]);
}

/* Sum @counts of all threads of the current process by column. */
static void sum_process(struct walker *w, const uint64_t *counts)
{
	uint64_t *to = w->counts[PROCESS];
	size_t nr = w->walk.profile->nr_classes;

	clear(w, to);
	for (size_t task = 0; task < w->walk.nr_tasks; task++) {
		if (w->walk.tasks[task].tgid != w->walk.tasks[w->task].tgid)
			continue;
		for (size_t k = w->first_class[task]; k < w->first_class[task + 1]; k++)
			for (size_t i = w->classes[k]; i < w->walk.profile->nr_counts; i += nr)
				to[column_of(w, i)] += counts[i];
	}
}

/* Sum @counts of all tasks (processes and threads) by column. */
static const uint64_t *sum_tasks(const struct walker *w, const uint64_t *counts)
{
	uint64_t *to = w->counts[BELOW];

	clear(w, to);
	for (size_t i = 0; i < w->walk.profile->nr_counts; i++)
		to[column_of(w, i)] += counts[i];
	return to;
}

const uint64_t *pp_walk_totals(const struct pp_walk *walk)
{
	return sum_tasks((const struct walker *)walk, walk->profile->totals);
}

const uint64_t *pp_walk_before(const struct pp_walk *walk, const uint64_t *counts)
{
	return walk->report->before ? counts + walk->nr_columns : NULL;
}

bool pp_walk_interval(struct pp_interval *ret, const struct pp_walk *walk, const uint64_t *counts,
		      size_t column)
{
	const struct walker *w = (const struct walker *)walk;
	size_t class = 0;

	while (w->column_of[class] != column)
		class++;
	return pp_change_interval(ret, walk->profile->diff, counts, walk->nr_columns, column, class,
				  walk->report->options->certainty);
}

const uint64_t *pp_walk_hidden(const struct pp_walk *walk)
{
	const struct pp_diff_facts *facts = walk->profile->diff;

	return facts && facts->nr_hidden ?
		       sum_tasks((const struct walker *)walk, facts->hidden) : NULL;
}

void pp_hidden_title(char buf[PP_HIDDEN_TITLE], const struct pp_report *report)
{
	size_t nr = report->profile->diff->nr_hidden;

	snprintf(buf, PP_HIDDEN_TITLE, PP_NOT_SIGNIFICANT, nr,
		 report->options->by_subsystem ? op_plural(nr, "subsystem", "subsystems") :
		 report->options->symbols      ? op_plural(nr, "symbol", "symbols") :
						 op_plural(nr, "program", "programs"));
}

const char *pp_walk_change(const struct pp_walk *walk, const uint64_t *counts)
{
	if (!pp_has_counts(counts, walk->nr_columns))
		return "gone";
	return pp_has_counts(pp_walk_before(walk, counts), walk->nr_columns) ? "both" : "new";
}

static size_t count_details(struct walker *w, const struct pp_details *details)
{
	size_t nr = 0;

	for (size_t i = 0; details && i < details->nr; i++)
		nr += sum_task(w, BELOW, details->items[i].counts);
	return nr;
}

static void walk_details(struct walker *w, const struct pp_walk_symbol *symbol,
			 const struct pp_details *details)
{
	for (size_t i = 0; details && i < details->nr; i++) {
		struct pp_walk_detail detail = {
			.symbol = symbol,
			.detail = &details->items[i],
			.frame = details->frames && details->frames[i].nr ?
					 details->frames[i].items : NULL,
			.counts = w->counts[BELOW],
		};

		if (!sum_task(w, BELOW, details->items[i].counts))
			continue;
		detail.index = w->nr_details++;
		if (w->ops->detail)
			w->ops->detail(&w->walk, &detail);
	}
}

static void walk_arcs(struct walker *w, const struct pp_entry *entry, int callees)
{
	const struct pp_profile *profile = w->walk.profile;
	const struct pp_end end = { entry->group, entry->code };
	size_t first, nr = callees ? pp_arcs_from(profile, end, &first) :
				     pp_arcs_to(profile, end, &first);

	if (nr && w->ops->begin_arcs)
		w->ops->begin_arcs(&w->walk, callees);
	for (size_t i = first; nr && i < first + nr; i++) {
		const struct pp_arc *arc =
			&profile->arcs[callees ? i : profile->arcs_by_callee[i]];
		const struct pp_end *other = callees ? &arc->callee : &arc->caller;
		struct pp_walk_arc stop = {
			.code = &profile->codes[other->code],
			.code_index = other->code,
			.counts = w->counts[BELOW],
		};

		if (sum_task(w, BELOW, arc->counts))
			w->ops->arc(&w->walk, &stop);
	}
	if (nr && w->ops->end_arcs)
		w->ops->end_arcs(&w->walk, callees);
}

/* Sum the counts of a function by column. Return whether the walk visits the function. */
static bool begin_entry(struct walker *w, const struct pp_entry *entry)
{
	const struct pp_profile *profile = w->walk.profile;
	bool has_total = profile->has_totals && sum_task(w, TOTAL, pp_entry_total(profile, entry));

	return sum_task(w, SYMBOL, entry->counts) || has_total || profile->nr_arcs;
}

static void walk_symbol(struct walker *w, const struct pp_entry *entry)
{
	const struct pp_profile *profile = w->walk.profile;
	const struct pp_details *details = pp_entry_details(profile, entry);
	const struct pp_walk_symbol symbol = {
		.code = pp_entry_code(profile, entry),
		.entry = entry,
		.code_index = entry->code,
		.counts = w->counts[SYMBOL],
		.totals = profile->has_totals ? w->counts[TOTAL] : NULL,
	};
	size_t nr_details = count_details(w, details);

	if (!begin_entry(w, entry))
		return;
	if (w->ops->symbol)
		w->ops->symbol(&w->walk, &symbol, w->nr_details, nr_details);
	walk_details(w, &symbol, details);
	if (w->ops->arc && profile->nr_arcs) {
		walk_arcs(w, entry, 0);
		walk_arcs(w, entry, 1);
	}
	if (w->ops->end_symbol)
		w->ops->end_symbol(&w->walk);
}

/* Find the functions of a program in an image: w->entries[*first] to w->entries[*end - 1]. */
static void find_entries(const struct walker *w, const char *app, const char *image, size_t *first,
			 size_t *end)
{
	const struct pp_group *group = find_group(w, app, image);
	size_t index = group ? (size_t)(group - w->walk.profile->groups) : 0;

	*first = group ? w->first_entry[index] : 0;
	*end = group ? w->first_entry[index + 1] : 0;
}

static size_t count_symbols(struct walker *w, const char *app, const char *image)
{
	const struct pp_profile *profile = w->walk.profile;
	size_t first, end, nr = 0;

	find_entries(w, app, image, &first, &end);
	for (size_t i = first; i < end; i++)
		nr += begin_entry(w, &profile->entries[w->entries[i]]);
	return nr;
}

static void walk_image(struct walker *w, const char *app, const struct pp_dependent *dependent)
{
	const struct pp_walk_image image = {
		.name = dependent->image,
		.is_own = pp_tasks_own_image(app, dependent->image),
		.nr_symbols = count_symbols(w, app, dependent->image),
		.counts = w->counts[IMAGE],
	};
	size_t first, end;

	if (!sum_task(w, IMAGE, dependent->counts) &&
	    !(w->walk.profile->has_totals && image.nr_symbols))
		return;
	if (w->ops->image)
		w->ops->image(&w->walk, &image);
	find_entries(w, app, dependent->image, &first, &end);
	for (size_t i = first; i < end; i++)
		walk_symbol(w, &w->walk.profile->entries[w->entries[i]]);
	if (w->ops->end_image)
		w->ops->end_image(&w->walk, &image);
}

static void walk_program(struct walker *w, const struct pp_app *app)
{
	struct pp_walk_program program = {
		.name = app->app,
		.unit = w->walk.has_units ? pp_unit_of(&w->walk.report->session->files, app->app)
					  : NULL,
		.task = w->walk.tasks[w->task],
		.process_counts = w->counts[PROCESS],
		.counts = w->counts[PROGRAM],
	};
	bool has_counts = sum_task(w, PROGRAM, app->counts);

	if (!has_counts && !w->walk.profile->has_totals)
		return;
	for (size_t i = 0; i < app->nr_dependents; i++)
		if (sum_task(w, IMAGE, app->dependents[i].counts) || w->walk.profile->has_totals)
			program.nr_symbols += count_symbols(w, app->app, app->dependents[i].image);
	if (!has_counts && !program.nr_symbols)
		return;
	sum_process(w, app->counts);
	if (w->ops->program)
		w->ops->program(&w->walk, &program);
	/* In the first round, visit only the image that is the program's own file. */
	for (int own = 1; own >= 0; own--)
		for (size_t i = 0; i < app->nr_dependents; i++)
			if (own == pp_tasks_own_image(app->app, app->dependents[i].image))
				walk_image(w, app->app, &app->dependents[i]);
	if (w->ops->end_program)
		w->ops->end_program(&w->walk, &program);
}

/* Visit the programs. The threads of one process in a program are visited one after another. */
static void walk_programs(struct walker *w)
{
	const struct pp_profile *profile = w->walk.profile;

	for (size_t process = 0; process < w->walk.nr_tasks; process++) {
		size_t first = 0;

		while (w->walk.tasks[first].tgid != w->walk.tasks[process].tgid)
			first++;
		if (first != process)
			/* visited together with an earlier thread of the same process */
			continue;
		for (size_t i = 0; i < profile->nr_apps; i++) {
			for (size_t s = process; s < w->walk.nr_tasks; s++) {
				w->task = s;
				if (w->walk.tasks[s].tgid == w->walk.tasks[process].tgid)
					walk_program(w, &profile->apps[i]);
			}
		}
	}
}

static void release(struct walker *w)
{
	free(w->walk.columns);
	free(w->walk.tasks);
	free(w->column_of);
	free(w->first_class);
	free(w->classes);
	free(w->groups);
	free(w->first_entry);
	free(w->entries);
	for (size_t i = 0; i < LEVELS; i++)
		free(w->counts[i]);
}

int pp_walk(const struct pp_report *report, const struct pp_walk_ops *ops, void *arg)
{
	struct walker w = {
		.walk = { .report = report, .profile = report->profile, .arg = arg },
		.ops = ops,
	};
	int err = 0;

	if (find_columns(&w, &report->session->classes) || index_groups(&w)) {
		err = -ENOMEM;
		goto done;
	}
	if (ops->begin)
		ops->begin(&w.walk);
	walk_programs(&w);
	if (ops->end)
		ops->end(&w.walk);
done:
	release(&w);
	return err;
}
