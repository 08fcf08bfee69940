/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_paths.h -- call paths in an archive of a part of a session: the trees with the paths of
 * the selected samples, and the frames and images of these paths.
 */
#ifndef PP_ARCHIVE_ARCHIVE_PATHS_H
#define PP_ARCHIVE_ARCHIVE_PATHS_H

#include <stdbool.h>

#include "pp/base/log.h"
#include "pp/session/session.h"

struct pp_archive_paths {
	const struct pp_session *session;
	struct pp_log *log;
	/* Called with the path of each tree that has selected samples. May be NULL. */
	void (*tell)(void *context, const char *path);
	void *context;
};

/* Return whether the archive has only a part of the session's call paths. If the result is false,
 * the files can be copied unchanged. */
bool pp_archive_paths_are_part(const struct pp_session *session);

/*
 * Archive the call paths of one directory of the session. @samples: the new directory; -1: write no
 * files. Set *@leads to an array, calloc'd, with an element for each image in the directory's list
 * of images: whether an archived path uses the image. Skip files that cannot be read, with a
 * warning. Return 0, or a negative errno with the cause in the log.
 */
int pp_archive_paths(const struct pp_archive_paths *job, size_t samples_dir, int samples,
		     bool **leads);

#endif
