/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arc_files.h -- call-graph files, as OProfile 1.4 reads them, from a session's trees of call paths.
 *
 *   {root}/APP/{dep}/IMAGE/{cg}/CALLEE/EVENT...	calls from IMAGE to CALLEE, beside the sample files of IMAGE
 */
#ifndef PP_ARCHIVE_ARC_FILES_H
#define PP_ARCHIVE_ARC_FILES_H

#include "pp/base/log.h"
#include "pp/image/image.h"
#include "pp/session/session.h"

struct pp_arc_files {
	const struct pp_session *session;	/* with its paths */
	struct pp_images *images;
	struct pp_log *log;
	size_t nr;				/* is counted here: files */
};

/*
 * Writes them into the directories @samples, one for each of the session's; those that are there are replaced, when
 * all are complete. Negative with the reason in the log.
 */
int pp_arc_files_write(struct pp_arc_files *files, const int *samples);

/* The same into the session's own directories: sessions that go on growing are refused. */
int pp_arc_files_write_here(struct pp_arc_files *files);

#endif
