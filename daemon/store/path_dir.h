/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_dir.h -- the directory of call paths in a session: its files found, made, and set aside where they are damaged.
 */
#ifndef OPD_PATH_DIR_H
#define OPD_PATH_DIR_H

#include <stdbool.h>
#include <stdint.h>

#include "libdb/tree.h"

struct opd_log;
struct opd_session;
struct opd_stats;

/* All borrowed. */
struct opd_path_dir {
	const struct opd_session *session;
	struct opd_stats *stats;
	struct opd_log *log;
};

/* 0 or negative. */
int opd_path_dir_frames(struct opd_path_dir *d, struct frames **ret);
/* Opens a tree. -EFBIG: it is not there, and must not be made. @path: see
 * libop/session/path_files.h. @generation: the frames'. @made: there is a new file, which may be empty
 * when it could not be opened as a tree. */
int opd_path_dir_tree(struct opd_path_dir *d, const char *path, uint64_t generation, bool may_make, struct tree **ret,
		      bool *made);

/* Adds the bytes and the number of the trees that the session has. */
void opd_path_dir_add_up(const struct opd_path_dir *d, uint64_t *bytes, unsigned long *nr);

#endif
