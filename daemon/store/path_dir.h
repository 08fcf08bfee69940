/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_dir.h -- the directory of call paths in a session: finds and makes its files, and sets
 * damaged ones aside.
 */
#ifndef OPD_PATH_DIR_H
#define OPD_PATH_DIR_H

#include <stdbool.h>
#include <stdint.h>

#include "libdb/tree.h"

struct opd_log;
struct opd_session;
struct opd_stats;

/* All members are borrowed. */
struct opd_path_dir {
	const struct opd_session *session;
	struct opd_stats *stats;
	struct opd_log *log;
};

/* Open the file of frames. Return 0 or a negative error. */
int opd_path_dir_frames(struct opd_path_dir *d, struct frames **ret);
/* Open a tree. @path: see libop/session/path_files.h. @generation: of the frames. Set *@made if
 * there is a new file; it may be empty if it could not be opened as a tree. Return 0 or a negative
 * error; -EFBIG: the file does not exist and must not be made. */
int opd_path_dir_tree(struct opd_path_dir *d, const char *path, uint64_t generation, bool may_make,
		      struct tree **ret, bool *made);

/* Add the bytes and the number of the session's trees to *@bytes and *@nr. */
void opd_path_dir_add_up(const struct opd_path_dir *d, uint64_t *bytes, unsigned long *nr);

#endif
