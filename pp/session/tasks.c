// SPDX-License-Identifier: GPL-2.0-or-later
/* tasks.c -- shows processes and threads as rows or columns. */
#include "config.h"
#include "pp/session/tasks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/session/classes.h"
#include "pp/session/units.h"
#include "pp/session/wakers.h"

#define MAX_TASK_COLUMNS 8	/* maximum number of processes or threads that become columns */

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

/* Return the number of different processes or threads (tasks) in the files, but at most
 * MAX_TASK_COLUMNS + 1. Return 0 if samples were not separated by task. */
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
	return nr == 1 && seen[0].tgid == OP_ALL && seen[0].tid == OP_ALL ? 0 : nr;
}

static bool same_column(const struct op_sample_name *a, const struct op_sample_name *b,
			unsigned int merge)
{
	return (merge & PP_MERGE_CPU || a->cpu == b->cpu) && a->count == b->count &&
	       !strcmp(a->event, b->event) &&
	       pp_class_um(a->event, a->um, merge) == pp_class_um(b->event, b->um, merge);
}

static bool something_else_varies(const struct pp_files *files, unsigned int merge)
{
	const struct pp_sample_file *first = files->nr ? files->items : files->arcs;

	for (size_t i = 0; i < files->nr; i++)
		if (!same_column(&first->name, &files->items[i].name, merge))
			return true;
	for (size_t i = 0; i < files->nr_arcs; i++)
		if (!same_column(&first->name, &files->arcs[i].name, merge))
			return true;
	return false;
}

const char *pp_task_name(const struct op_task_names *names, int tgid, int tid)
{
	const struct op_task_name *task;

	if (tgid == OP_ALL)
		return NULL;
	task = op_task_names_find(names, tgid, tid == OP_ALL ? tgid : tid);
	return task && task->name[0] ? task->name : NULL;
}

/* Return whether to print the task's name after the title of its program. Most tasks have the name
 * of their program. */
static bool is_longer_name(const char *name, const char *title)
{
	const char *slash = strrchr(title, '/');

	return name && strncmp(slash ? slash + 1 : title, name, OP_TASK_NAME_SIZE - 1);
}

/* Append the ids and the name of the task (process or thread) to the title, as in "prog (tgid:7)"
 * or "prog (tgid:7 tid:8 worker)". */
static int add_task(struct pp_files *files, const char **title, struct task task, const char *name)
{
	char tgid[24] = "", tid[24] = "", *text;
	bool more = is_longer_name(name, *title);

	if (task.tgid != OP_ALL)
		snprintf(tgid, sizeof(tgid), "tgid:%d", task.tgid);
	if (task.tid != OP_ALL && task.tid != task.tgid)
		snprintf(tid, sizeof(tid), "%stid:%d", *tgid ? " " : "", task.tid);
	if (!*tgid && !*tid)
		return 0;
	if (asprintf(&text, "%s (%s%s%s%s)", *title, tgid, tid, more ? " " : "",
		     more ? name : "") < 0)
		return -ENOMEM;
	*title = pp_files_string(files, text);
	free(text);
	return *title ? 0 : -ENOMEM;
}

static int name_tasks(struct pp_files *owner, struct pp_sample_file *files, size_t nr,
		      const struct op_task_names *names, unsigned int merge)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		struct task task = task_of(&files[i].name, merge);
		const char *name = pp_task_name(&names[files[i].session], task.tgid, task.tid);

		err = add_task(owner, &files[i].app, task, name);
		if (!err && files[i].callee_app)
			err = add_task(owner, &files[i].callee_app, task, name);
	}
	return err;
}

int pp_tasks_to_rows(struct pp_files *files, const struct op_task_names *names, int chosen,
		     unsigned int *merge)
{
	size_t nr = count_tasks(files, *merge);

	if (!nr || (chosen && nr <= MAX_TASK_COLUMNS && !something_else_varies(files, *merge)))
		return 0;
	if (name_tasks(files, files->items, files->nr, names, *merge) ||
	    name_tasks(files, files->arcs, files->nr_arcs, names, *merge) ||
	    name_tasks(files, files->trees, files->nr_trees, names, *merge))
		return -ENOMEM;
	*merge |= PP_MERGE_TGID | PP_MERGE_TID;
	pp_files_sort(files);
	return 0;
}

size_t pp_task_path_len(const char *title)
{
	size_t len = strlen(title);
	static const char *const marks[] = { " (tgid:", " (tid:", PP_UNIT_MARK,
					     PP_WOKEN_MARK };
	const char *mark;

	if (!len || title[len - 1] != ')')
		return len;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		mark = strstr(title, marks[i]);
		if (mark && (size_t)(mark - title) < len)
			len = (size_t)(mark - title);
	}
	return len;
}

bool pp_tasks_own_image(const char *app, const char *image)
{
	size_t len = strlen(image);

	return !strncmp(app, image, len) && (!app[len] || pp_task_path_len(app) == len);
}
