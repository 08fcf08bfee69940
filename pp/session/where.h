/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where.h -- finds the session directory of a report: chosen by the user, in an archive, in the
 * current directory, or the default directory of the system.
 */
#ifndef PP_SESSION_WHERE_H
#define PP_SESSION_WHERE_H

#include <stdbool.h>

#include "libop/session/paths.h"
#include "pp/base/log.h"
#include "pp/session/scratch.h"
#include "pp/session/spec.h"

bool pp_is_directory(const char *path);

/*
 * Find the archive that @spec names, and the session directory in it. If @spec names no archive,
 * leave the results unchanged. If the archive is a file (intervals/archive.h), unpack it to
 * *@unpacked, and return the unpacked directory as the session directory. Return 0, or a negative
 * errno with the cause in the log. The caller releases *@unpacked in both cases.
 */
int pp_find_archive(char **ret_archive, char **ret_dir, struct pp_scratch *unpacked,
		    const struct pp_spec *spec, const char *session_dir, struct pp_log *log);
/* Set @paths to the paths in @session_dir. If @session_dir is NULL, use the default session
 * directory. @notes: print a note if the default session directory is in the current directory.
 * Return 0 or a negative errno. */
int pp_find_session_dir(struct op_session_paths *paths, const char *session_dir, bool notes,
			struct pp_log *log);

#endif
