// SPDX-License-Identifier: GPL-2.0-or-later
/* tasks.c -- decides whether processes and threads are columns or rows, and makes them rows. */
#include "config.h"
#include "pp/session/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/session/classes.h"

#define MAX_TASK_COLUMNS 8	/* what can still be read side by side */

struct task {
	int tgid, tid;
};

static struct task task_of(const struct op_sample_name *name, unsigned int merge)
{
	return (struct task){
		.tgid = merge & PP_MERGE_TGID ? OP_ALL : name->tgid,
		.tid = merge & (PP_MERGE_TID | PP_MERGE_TGID) ? OP_ALL : name->tid,
	};
}

/* Up to one more than there may be columns. */
static size_t count_tasks(const struct pp_files *files, unsigned int merge)
{
	struct task seen[MAX_TASK_COLUMNS + 1];
	size_t nr = 0;

	for (size_t i = 0; i < files->nr + files->nr_arcs && nr <= MAX_TASK_COLUMNS; i++) {
		const struct pp_sample_file *file = i < files->nr ? &files->items[i] :
								    &files->arcs[i - files->nr];
		struct task task = task_of(&file->name, merge);
		size_t j = 0;

		while (j < nr && (seen[j].tgid != task.tgid || seen[j].tid != task.tid))
			j++;
		if (j == nr)
			seen[nr++] = task;
	}
	return nr;
}

static int same_column(const struct op_sample_name *a, const struct op_sample_name *b,
		       unsigned int merge)
{
	return (merge & PP_MERGE_CPU || a->cpu == b->cpu) && a->count == b->count &&
	       (merge & PP_MERGE_UNITMASK || a->um == b->um) && !strcmp(a->event, b->event);
}

static int something_else_varies(const struct pp_files *files, unsigned int merge)
{
	const struct pp_sample_file *first = files->nr ? files->items : files->arcs;

	for (size_t i = 0; i < files->nr; i++)
		if (!same_column(&first->name, &files->items[i].name, merge))
			return 1;
	for (size_t i = 0; i < files->nr_arcs; i++)
		if (!same_column(&first->name, &files->arcs[i].name, merge))
			return 1;
	return 0;
}

/* "prog (tgid:7)", "prog (tgid:7 tid:8)". */
static int add_numbers(char **title, struct task task)
{
	char tgid[24] = "", tid[24] = "", *text;

	if (task.tgid != OP_ALL)
		snprintf(tgid, sizeof(tgid), "tgid:%d", task.tgid);
	if (task.tid != OP_ALL && task.tid != task.tgid)
		snprintf(tid, sizeof(tid), "%stid:%d", *tgid ? " " : "", task.tid);
	if (!*tgid && !*tid)
		return 0;
	if (asprintf(&text, "%s (%s%s)", *title, tgid, tid) < 0)
		return -ENOMEM;
	free(*title);
	*title = text;
	return 0;
}

static int name_tasks(struct pp_sample_file *files, size_t nr, unsigned int merge)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		struct task task = task_of(&files[i].name, merge);

		err = add_numbers(&files[i].app, task);
		if (!err && files[i].callee_app)
			err = add_numbers(&files[i].callee_app, task);
	}
	return err;
}

int pp_tasks_to_rows(struct pp_files *files, unsigned int *merge, struct pp_log *log)
{
	size_t nr = count_tasks(files, *merge);

	if (nr < 2 || (nr <= MAX_TASK_COLUMNS && !something_else_varies(files, *merge)))
		return 0;
	if (name_tasks(files->items, files->nr, *merge) ||
	    name_tasks(files->arcs, files->nr_arcs, *merge))
		return pp_oom(log);
	*merge |= PP_MERGE_TGID | PP_MERGE_TID;
	pp_files_sort(files);
	return 0;
}

int pp_tasks_own_image(const char *app, const char *image)
{
	size_t len = strlen(image);

	return !strncmp(app, image, len) &&
	       (!app[len] || !strncmp(app + len, " (tgid:", 7) || !strncmp(app + len, " (tid:", 6));
}
