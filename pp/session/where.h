/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where.h -- which session directory a report is of: the one named, an archive's, this directory's or the system's.
 */
#ifndef PP_SESSION_WHERE_H
#define PP_SESSION_WHERE_H

#include <stdbool.h>

#include "libop/session/paths.h"
#include "pp/base/log.h"
#include "pp/session/spec.h"

bool pp_is_directory(const char *path);

/* An archive has the session directory at its usual place below it, as it has everything. Both stay as they are when
 * @spec names no archive. Negative errno, and why in the log. */
int pp_find_archive(char **ret_archive, char **ret_dir, const struct pp_spec *spec, const char *session_dir,
		    struct pp_log *log);
/* @session_dir: NULL, what is usual. @tell: when that is one in this directory. */
int pp_find_session_dir(struct op_session_paths *paths, const char *session_dir, bool tell, struct pp_log *log);

#endif
