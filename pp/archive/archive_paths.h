/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_paths.h -- call paths of an archive that is made of a part of a session: the trees, of these the paths to
 * what is asked for, and the frames and images that these name.
 */
#ifndef PP_ARCHIVE_ARCHIVE_PATHS_H
#define PP_ARCHIVE_ARCHIVE_PATHS_H

#include <stdbool.h>

#include "pp/base/log.h"
#include "pp/session/session.h"

struct pp_archive_paths {
	const struct pp_session *session;
	struct pp_log *log;
	/* Is told each tree that has a part of it; or NULL. */
	void (*tell)(void *context, const char *path);
	void *context;
};

/* Whether it is a part. If not, the files can be copied as they are. */
bool pp_archive_paths_are_part(const struct pp_session *session);

/*
 * Those of one of the session's directories. @samples: the new directory; -1: nothing is written. *@leads: calloc'd,
 * beside the list of the session's images there: whether any of the paths leads through it. What cannot be read is
 * told and left out. Negative with the reason in the log.
 */
int pp_archive_paths(const struct pp_archive_paths *job, size_t samples_dir, int samples, bool **leads);

#endif
