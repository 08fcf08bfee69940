/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_paths.h -- call paths in an archive of a part of a session: the trees, frames and images
 * of the selected samples.
 */
#ifndef PP_ARCHIVE_ARCHIVE_PATHS_H
#define PP_ARCHIVE_ARCHIVE_PATHS_H

#include <stdbool.h>

#include "pp/base/log.h"
#include "pp/session/session.h"

struct pp_archive_paths {
	const struct pp_session *session;
	struct pp_log *log;
	/* called with the path of each tree of call paths that has selected samples; may be NULL */
	void (*report)(void *context, const char *path);
	void *context;
};

/* Return whether the archive contains only a part of the session's call paths. If the archive
 * contains all call paths, the files can be copied unchanged. */
bool pp_archive_paths_are_part(const struct pp_session *session);

/*
 * Archive the call paths of one directory of the session. @samples: the new directory; -1: write no
 * files. Set *@leads to a calloc'd array, indexed by the directory's list of images: whether an
 * archived path uses the image. Skip unreadable files with a warning. Return 0, or a negative errno
 * with the cause in the log.
 */
int pp_archive_paths(const struct pp_archive_paths *job, size_t samples_dir, int samples,
		     bool **leads);

#endif
