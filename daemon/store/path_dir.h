/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_dir.h -- a session's directory of call paths: opens and creates its files, and renames
 * damaged files.
 */
#ifndef OPD_PATH_DIR_H
#define OPD_PATH_DIR_H

#include <stdbool.h>
#include <stdint.h>

#include "libdb/tree.h"

struct opd_log;
struct opd_session;
struct opd_stats;

/* The directory of call paths. All members are borrowed. */
struct opd_path_dir {
	const struct opd_session *session;
	struct opd_stats *stats;
	struct opd_log *log;
};

/* Open or create the session's file of frames. Return 0 or a negative error. */
int opd_path_dir_frames(struct opd_path_dir *d, struct frames **ret);
/*
 * Open the tree at @path (libop/session/path_files.h), or create it if @may_make is true.
 * @generation: the generation of the file of frames. Set *@made if a file was created; if the
 * function then fails, this file may be empty. Return 0 or a negative error; -EFBIG: the file does
 * not exist and @may_make is false.
 */
int opd_path_dir_tree(struct opd_path_dir *d, const char *path, uint64_t generation, bool may_make,
		      struct tree **ret, bool *made);

/* Set *@bytes and *@nr to the total size and the number of the session's trees. */
void opd_path_dir_add_up(const struct opd_path_dir *d, uint64_t *bytes, unsigned long *nr);

#endif
