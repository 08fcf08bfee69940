/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_dir.h -- the directory for data that all sessions and reports of a user can use again.
 *
 * Root's directory is OP_ROOT_CACHE_DIR, so all daemons of root share it. Only its owner may read
 * it, because its file names are build-ids of the programs that run on this machine.
 */
#ifndef OP_BASE_CACHE_DIR_H
#define OP_BASE_CACHE_DIR_H

#include <stdint.h>

#define OP_CACHE_DIR_ENV	"OPROFILE_CACHE_DIR"
#define OP_CACHE_SIZE_ENV	"OPROFILE_CACHE_SIZE"
#define OP_ROOT_CACHE_DIR	"/var/cache/oprofile"
/* directory in the cache that contains all tables of a user: unwind tables, symbol tables, and the
 * symbols of reports */
#define OP_CACHE_TABLES_DIR	"tables"
/* file in the cache that contains the limit of the size of all tables, in the form in which the
 * user wrote it after --cache-size */
#define OP_CACHE_LIMIT_FILE	"limit"
/* default limit of the size of all tables together */
#define OP_CACHE_BYTES		(256ull << 20)
/* the smallest limit, so that a large table has room */
#define OP_CACHE_LEAST_BYTES	(16ull << 20)

/*
 * Return the path of the calling user's cache directory: $OPROFILE_CACHE_DIR; or
 * $XDG_CACHE_HOME/oprofile; or OP_ROOT_CACHE_DIR as root, ~/.cache/oprofile as another user. The
 * caller frees it. NULL: the user has no home directory, or out of memory.
 */
char *op_cache_dir(void);

/*
 * Open the directory @path. If this directory or its parent is missing, make it. Return a
 * descriptor or a negative errno. -EPERM: another user owns the directory or may write to it, or,
 * if the caller is root, may replace it.
 */
int op_cache_dir_open(const char *path);

/* Open the directory of tables in the cache directory @path as op_cache_dir_open() does. -ENOENT:
 * @path is NULL. */
int op_cache_tables_open(const char *path);

/* Parse a limit. Return 0; -EINVAL: not a size; -ERANGE: too large, or less than
 * OP_CACHE_LEAST_BYTES. */
int op_cache_limit_parse(uint64_t *ret, const char *text);

/*
 * Store the limit of the size of all tables together, in bytes: $OPROFILE_CACHE_SIZE, or the limit
 * that op_cache_set_limit() wrote to the directory @path, or OP_CACHE_BYTES. @path may be NULL.
 * Return 0, or a negative errno if $OPROFILE_CACHE_SIZE is not a valid limit; *@ret is then
 * OP_CACHE_BYTES.
 */
int op_cache_max_bytes(uint64_t *ret, const char *path);

/* Store @text as the limit of the tables in the cache directory @path, for all programs of the
 * user. Return 0 or a negative errno. */
int op_cache_set_limit(const char *path, const char *text);

#endif
