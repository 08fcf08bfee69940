/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h -- processes and threads as rows of a report.
 */
#ifndef PP_SESSION_TASKS_H
#define PP_SESSION_TASKS_H

#include <stdbool.h>

#include "libop/session/task_names.h"
#include "pp/session/files.h"

/*
 * Append the numbers and the name of the process or thread to the title of each program. Set the
 * bits of processes and threads in *@merge (enum pp_merge), so that they do not become columns.
 * @chosen: the user chose tasks by number. A few chosen tasks become columns instead, if no other
 * axis has several values. @names: one for each session. Return 0 or -ENOMEM.
 */
int pp_tasks_to_rows(struct pp_files *files, const struct op_task_names *names, int chosen,
		     unsigned int *merge);

/* Return the name of the thread @tid, or of the process if @tid is OP_ALL. Return NULL if
 * unknown. */
const char *pp_task_name(const struct op_task_names *names, int tgid, int tid);

/* Return the length of the path in a program's title, without the appended numbers and name of a
 * task. A task's name may contain slashes. */
size_t pp_task_path_len(const char *title);

/* Return whether @image is the program @app itself. The title @app may end with a task's numbers
 * and name. */
bool pp_tasks_own_image(const char *app, const char *image);

#endif
