/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arc_files.h -- call-graph files in the format of OProfile 1.4, from a session's trees of call
 * paths.
 *
 *   {root}/APP/{dep}/IMAGE/{cg}/CALLEE/EVENT...
 *
 * The file EVENT... has the calls from IMAGE to CALLEE. It is next to the sample files of IMAGE.
 */
#ifndef PP_ARCHIVE_ARC_FILES_H
#define PP_ARCHIVE_ARC_FILES_H

#include "pp/base/log.h"
#include "pp/image/image.h"
#include "pp/session/session.h"

struct pp_arc_files {
	/* a session whose call paths are converted to arcs */
	const struct pp_session *session;
	struct pp_images *images;
	struct pp_log *log;
	size_t nr;				/* result: number of call-graph files */
};

/*
 * Write the files to the directories @samples, an array of descriptors with an element for each
 * samples directory of the session. Existing files are replaced when all new files are complete.
 * Return 0, or a negative errno with the cause in the log.
 */
int pp_arc_files_write(struct pp_arc_files *files, const int *samples);

/* Write the files to the session's own directories. Return an error for a session to which a daemon
 * still writes. */
int pp_arc_files_write_here(struct pp_arc_files *files);

#endif
