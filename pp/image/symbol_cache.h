/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_cache.h -- parsed symbol tables of large binaries, cached for the next report.
 *
 * Each binary has up to three files (enum pp_cached). They are beside the daemon's tables in the
 * user's cache directory, where one limit of size applies to all (libop/base/cache_dir.h,
 * libop/session/table_files.h).
 *
 * A file is ignored if its checksum is wrong, if its symbols are not sorted, or if it was made from
 * another binary or debug file. Binaries and debug files are identified by device, inode and change
 * time, not by build-id, because any user can put a build-id into a binary.
 */
#ifndef PP_IMAGE_SYMBOL_CACHE_H
#define PP_IMAGE_SYMBOL_CACHE_H

#include "pp/image/elf.h"
#include "pp/image/elf_symtab.h"

struct pp_symbol_cache;

enum pp_cached {
	PP_CACHED_FULL,		/* symbols in .symtab of the binary or of its debug file */
	/* the symbols that a stripped binary without a debug file retains */
	PP_CACHED_REST,
	PP_CACHED_PLT,		/* names of the stubs in the procedure linkage table (PLT) */
};

/* Open the cache in the directory @path (op_cache_dir()). Return NULL if @path is NULL, or if
 * op_cache_tables_open() refuses the directory. */
struct pp_symbol_cache *pp_symbol_cache_open(const char *path);
/* Close the cache. If this process wrote files and the size limit is exceeded, remove old files.
 * @cache may be NULL. */
void pp_symbol_cache_close(struct pp_symbol_cache *cache);

/* Read a symbol table of the given kind from the cache. On failure *@ret is unchanged. Any thread
 * may call this. @cache may be NULL. Return 0, -ENOENT or -ENOMEM. */
int pp_symbol_cache_read(struct pp_symbol_cache *cache, enum pp_cached kind,
			 const struct pp_elf *elf, struct pp_elf_symtab *ret);
/* Write a symbol table to the cache if the table is large enough. Ignore failures. */
void pp_symbol_cache_write(struct pp_symbol_cache *cache, enum pp_cached kind,
			   const struct pp_elf *elf, const struct pp_elf_symtab *table);

#endif
