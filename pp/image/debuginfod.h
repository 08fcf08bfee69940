/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfod.h -- downloads of binaries and debug files by build-id from the servers in
 * $DEBUGINFOD_URLS, if the user enables downloads.
 *
 * libdebuginfod is loaded at run time. It keeps downloaded files in the user's cache directory, and
 * remembers failed requests for ten minutes. After a server has not answered a request within a few
 * seconds, no more requests are sent, so that a report does not wait for each binary.
 */
#ifndef PP_IMAGE_DEBUGINFOD_H
#define PP_IMAGE_DEBUGINFOD_H

#include "pp/base/log.h"

struct pp_debuginfod;

/* Create the client. Return NULL with the reason in @log if no server is set or the library is
 * missing. Set the library's timeouts in the environment, unless the user has set them. */
struct pp_debuginfod *pp_debuginfod_create(struct pp_log *log);
/* Free the client. @d may be NULL. */
void pp_debuginfod_destroy(struct pp_debuginfod *d);

enum pp_debuginfod_kind {
	PP_DEBUGINFOD_DEBUG,
	PP_DEBUGINFOD_BINARY,
};

/* Download a file of a build. Return a descriptor and set *@ret_path, malloc'd, or return -ENOENT
 * or -ENOMEM. Any thread may call this; calls are serialized. Return -ENOENT if @d is NULL. */
int pp_debuginfod_find(struct pp_debuginfod *d, enum pp_debuginfod_kind kind, const char *build_id,
		       char **ret_path, struct pp_log *log);

#endif
