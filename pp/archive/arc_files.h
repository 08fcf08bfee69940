/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arc_files.h -- call-graph files in the format of OProfile 1.4, made from a session's trees of
 * call paths.
 *
 *   {root}/APP/{dep}/IMAGE/{cg}/CALLEE/EVENT...
 *
 * The file EVENT... counts the calls from IMAGE to CALLEE. It is stored beside IMAGE's sample
 * files.
 */
#ifndef PP_ARCHIVE_ARC_FILES_H
#define PP_ARCHIVE_ARC_FILES_H

#include "pp/base/log.h"
#include "pp/image/image.h"
#include "pp/session/session.h"

struct pp_arc_files {
	/* the session whose trees of call paths are read */
	const struct pp_session *session;
	struct pp_images *images;
	struct pp_log *log;
	size_t nr; /* result: number of call-graph files that were written */
};

/*
 * Write the call-graph files below @samples, an array with a descriptor for each samples directory
 * of the session. Replace existing files after all new files are complete. Return 0, or a negative
 * errno with the cause in the log.
 */
int pp_arc_files_write(struct pp_arc_files *files, const int *samples);

/* Write the call-graph files to the session's own directories. Fail if a daemon still writes to the
 * session. */
int pp_arc_files_write_here(struct pp_arc_files *files);

#endif
