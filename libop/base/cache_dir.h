/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_dir.h -- the cache directory of a user, with data that several sessions and reports use.
 *
 * Root's directory is OP_ROOT_CACHE_DIR, so all daemons of root share it. Only the owner may read
 * the directory, because its file names are build-ids of the programs that run on this machine.
 */
#ifndef OP_BASE_CACHE_DIR_H
#define OP_BASE_CACHE_DIR_H

#include <stdint.h>

#define OP_CACHE_DIR_ENV	"OPROFILE_CACHE_DIR"
#define OP_CACHE_SIZE_ENV	"OPROFILE_CACHE_SIZE"
#define OP_ROOT_CACHE_DIR	"/var/cache/oprofile"
/* subdirectory for all tables of a user: unwind tables, symbol tables, and the symbols of
 * reports */
#define OP_CACHE_TABLES_DIR	"tables"
/* file that contains the limit of the tables' total size, as text in the form of --cache-size */
#define OP_CACHE_LIMIT_FILE	"limit"
/* default limit of the total size of all tables, in bytes */
#define OP_CACHE_BYTES		(256ull << 20)
/* minimum of the limit of the tables' total size, in bytes, so that a large table fits */
#define OP_CACHE_LEAST_BYTES	(16ull << 20)

/*
 * Return the path of the calling user's cache directory. The path is $OPROFILE_CACHE_DIR; or
 * $XDG_CACHE_HOME/oprofile; or for root OP_ROOT_CACHE_DIR, for other users ~/.cache/oprofile. The
 * caller frees it. Return NULL if the user has no home directory, or memory is short.
 */
char *op_cache_dir(void);

/*
 * Open the directory @path; create it and its parent if they are missing. Return a descriptor or a
 * negative errno; -EPERM: another user owns the directory or may write to it; or, if the caller is
 * root, another user may replace it.
 */
int op_cache_dir_open(const char *path);

/* Open the subdirectory of tables in the cache directory @path, with the checks of
 * op_cache_dir_open(). Return -ENOENT if @path is NULL. */
int op_cache_tables_open(const char *path);

/* Parse the limit of the tables' total size. Return 0; -EINVAL: not a size; -ERANGE: too large, or
 * below OP_CACHE_LEAST_BYTES. */
int op_cache_limit_parse(uint64_t *ret, const char *text);

/*
 * Set *@ret to the limit of the total size of all tables, in bytes: $OPROFILE_CACHE_SIZE, or the
 * limit that op_cache_set_limit() wrote to the directory @path, or OP_CACHE_BYTES. @path may be
 * NULL. Return 0; or a negative errno, with *@ret set to OP_CACHE_BYTES, if $OPROFILE_CACHE_SIZE is
 * not a valid limit.
 */
int op_cache_max_bytes(uint64_t *ret, const char *path);

/* Store @text as the limit of the tables' total size in the cache directory @path, for all programs
 * of the user. Return 0 or a negative errno. */
int op_cache_set_limit(const char *path, const char *text);

#endif
