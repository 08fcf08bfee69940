/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfod.h -- binaries and debug files from the servers that $DEBUGINFOD_URLS names, by
 * build-id, for users who ask for it.
 *
 * libdebuginfod is looked for at run time. It keeps what it got, and for ten minutes also what
 * nobody had, in the user's cache directory. A server that does not answer within a few seconds is
 * given up for the rest of the run: a report must not wait for every binary.
 */
#ifndef PP_IMAGE_DEBUGINFOD_H
#define PP_IMAGE_DEBUGINFOD_H

#include "pp/base/log.h"

struct pp_debuginfod;

/* NULL, and the reason in @log, when there is no server to ask or no library to ask with. Sets
 * time limits in the environment unless the user has his own. */
struct pp_debuginfod *pp_debuginfod_create(struct pp_log *log);
/* Takes NULL. */
void pp_debuginfod_destroy(struct pp_debuginfod *d);

enum pp_debuginfod_kind {
	PP_DEBUGINFOD_DEBUG,
	PP_DEBUGINFOD_BINARY,
};

/* That file of a build, as a descriptor, and *@ret_path, malloc'd; -ENOENT, -ENOMEM. Any
 * thread, one at a time. @d may be NULL: nobody has it. */
int pp_debuginfod_find(struct pp_debuginfod *d, enum pp_debuginfod_kind kind, const char *build_id,
		       char **ret_path, struct pp_log *log);

#endif
