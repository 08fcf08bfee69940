/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h -- processes and threads that were told apart become rows.
 */
#ifndef PP_SESSION_TASKS_H
#define PP_SESSION_TASKS_H

#include <stdbool.h>

#include "libop/session/task_names.h"
#include "pp/session/files.h"

/*
 * Puts the numbers and the name of a process or thread behind the name of each program, and sets them in *@merge
 * (enum pp_merge), so that they make no columns. Exception: when a few were @chosen by number, and nothing else
 * makes columns, these do. @names: one for each session, in their order. 0 or -ENOMEM.
 */
int pp_tasks_to_rows(struct pp_files *files, const struct op_task_names *names, int chosen,
		     unsigned int *merge);

/* The name of the thread, or of the process when @tid is OP_ALL. NULL: it is not known. */
const char *pp_task_name(const struct op_task_names *names, int tgid, int tid);

/* The length of the path in a program's title, without the numbers and the name behind it (a name may have slashes). */
size_t pp_task_path_len(const char *title);

/* Whether @image is the file of the program @app, whose title may have numbers and a name behind the path. */
bool pp_tasks_own_image(const char *app, const char *image);

#endif
