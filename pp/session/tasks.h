/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks.h -- processes and threads that were told apart and do not fit into columns become rows.
 */
#ifndef PP_SESSION_TASKS_H
#define PP_SESSION_TASKS_H

#include "pp/log.h"
#include "pp/session/files.h"

/*
 * A few processes or threads stand side by side, as long as nothing else does; otherwise each
 * program gets its numbers behind its name, and *@merge (enum pp_merge) says that they are no
 * classes any more. 0 or PP_ERR_TOLD.
 */
int pp_tasks_to_rows(struct pp_files *files, unsigned int *merge, struct pp_log *log);

/* Whether the title @image is the file of the program @app, numbers behind its name or not. */
int pp_tasks_own_image(const char *app, const char *image);

#endif
