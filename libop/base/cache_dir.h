/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_dir.h -- the directory in which a user keeps what all of the user's sessions and reports may use again.
 *
 * Root's is OP_ROOT_CACHE_DIR, so that all daemons of root share it. Only its owner may read it: its names are build-ids
 * of what runs here.
 */
#ifndef OP_BASE_CACHE_DIR_H
#define OP_BASE_CACHE_DIR_H

#define OP_CACHE_DIR_ENV	"OPROFILE_CACHE_DIR"
#define OP_ROOT_CACHE_DIR	"/var/cache/oprofile"

/*
 * Return the path of the calling user's directory: $OPROFILE_CACHE_DIR; or $XDG_CACHE_HOME/oprofile; or OP_ROOT_CACHE_DIR
 * as root, ~/.cache/oprofile as another user. The caller frees it. NULL: the user has none, or out of memory.
 */
char *op_cache_dir(void);

/*
 * Open the directory @path; make it, and the directory that holds it, where they are missing. Return a descriptor or a
 * negative errno. -EPERM: another user owns the directory or may write to it, or, as root, may replace it.
 */
int op_cache_dir_open(const char *path);

#endif
