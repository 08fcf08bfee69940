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
 * Each program gets numbers and name of its process or thread behind its name, and *@merge (enum pp_merge)
 * says that they are no classes any more. A few of them that were @chosen by number stand side by side
 * instead, as long as nothing else does. @names: of each session, by number. 0 or -ENOMEM.
 */
int pp_tasks_to_rows(struct pp_files *files, const struct op_task_names *names, int chosen,
		     unsigned int *merge);

/* What the thread calls itself, or without a @tid (OP_ALL) the process; NULL: not known. */
const char *pp_task_name(const struct op_task_names *names, int tgid, int tid);

/* The length of a program's title without numbers and name, which may have a slash. */
size_t pp_task_path_len(const char *title);

/* Whether the title @image is the file of the program @app, numbers behind its name or not. */
bool pp_tasks_own_image(const char *app, const char *image);

#endif
