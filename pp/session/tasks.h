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
 * Append the ids and the name of the process or thread to the title of each program. Set the bits
 * of processes and threads in *@merge (enum pp_merge), so that they do not become columns. @chosen:
 * the user chose processes or threads by number. If the user chose only a few, and no other axis
 * has several values, they become columns instead. @names: one for each session. Return 0 or
 * -ENOMEM.
 */
int pp_tasks_to_rows(struct pp_files *files, const struct op_task_names *names, int chosen,
		     unsigned int *merge);

/* Return the name of the thread @tid or, if @tid is OP_ALL, of the process @tgid. Return NULL if
 * the name is unknown. */
const char *pp_task_name(const struct op_task_names *names, int tgid, int tid);

/* Return the length of the path in a program's title, without the ids and the name of a task that
 * pp_tasks_to_rows() appended, and without the unit that pp_units_to_rows() appended. The names of
 * a task and of a unit may contain slashes. */
size_t pp_task_path_len(const char *title);

/* Return whether @image is the file of the program @app. The ids and the name of a task, and
 * a unit, may have been appended to @app. */
bool pp_tasks_own_image(const char *app, const char *image);

#endif
