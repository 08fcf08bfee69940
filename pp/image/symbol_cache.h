/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_cache.h -- finished symbol tables of large binaries, kept for the next report.
 *
 * Each binary has up to three files (enum pp_cached). The files lie beside the daemon's tables in
 * the user's cache directory; one limit of size applies to all of them (libop/base/cache_dir.h,
 * libop/session/table_files.h). A file is ignored unless its checksum and its order are correct,
 * and unless the table was made from the current binary and debug file. These files are compared by
 * device, inode and time of change, not by build-id, because any user can give a build-id to a
 * binary.
 */
#ifndef PP_IMAGE_SYMBOL_CACHE_H
#define PP_IMAGE_SYMBOL_CACHE_H

#include "pp/image/elf.h"
#include "pp/image/elf_symtab.h"

struct pp_symbol_cache;

enum pp_cached {
	PP_CACHED_FULL,		/* .symtab of the binary or of its debug file */
	/* the remaining symbols of a stripped binary that has no debug file */
	PP_CACHED_REST,
	PP_CACHED_PLT,		/* names of PLT stubs */
};

/* Open the cache in the directory @path (op_cache_dir()). Return NULL if @path is NULL or
 * op_cache_tables_open() refuses it. */
struct pp_symbol_cache *pp_symbol_cache_open(const char *path);
/* Close the cache; accepts NULL. Evict files if any were written and the limit is exceeded. */
void pp_symbol_cache_close(struct pp_symbol_cache *cache);

/* Read a table; *@ret is unchanged on failure. Any thread may call this function. @cache may be
 * NULL. Return 0, -ENOENT or -ENOMEM. */
int pp_symbol_cache_read(struct pp_symbol_cache *cache, enum pp_cached kind,
			 const struct pp_elf *elf, struct pp_elf_symtab *ret);
/* Write the table if it is large enough. Failures are ignored. */
void pp_symbol_cache_write(struct pp_symbol_cache *cache, enum pp_cached kind,
			   const struct pp_elf *elf, const struct pp_elf_symtab *table);

#endif
