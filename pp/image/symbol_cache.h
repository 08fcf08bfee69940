/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_cache.h -- finished symbol tables of large binaries, kept for the next report.
 *
 * Up to three files for each binary (enum pp_cached) lie beside the daemon's tables in the user's cache, within the same limit
 * (libop/base/cache_dir.h, libop/session/table_files.h). A file that is read is checked for its sum and its order, and for the
 * binary and the debug file being the very files that it was made from, or else it is ignored: by device, inode and time of
 * change, not by a build-id, which a stranger can give to a binary.
 */
#ifndef PP_IMAGE_SYMBOL_CACHE_H
#define PP_IMAGE_SYMBOL_CACHE_H

#include "pp/image/elf.h"
#include "pp/image/elf_symtab.h"

struct pp_symbol_cache;

enum pp_cached {
	PP_CACHED_FULL,		/* .symtab, the binary's own or its debug file's */
	PP_CACHED_REST,		/* what a stripped binary still has, when no debug file is found */
	PP_CACHED_PLT,		/* names of stubs */
};

/* Return the cache in the directory @path (op_cache_dir()), or NULL: @path is NULL or op_cache_tables_open() refuses it. */
struct pp_symbol_cache *pp_symbol_cache_open(const char *path);
/* Take NULL. Evict files if any were written and the limit is exceeded. */
void pp_symbol_cache_close(struct pp_symbol_cache *cache);

/* Any thread. @cache may be NULL. -ENOENT or -ENOMEM leave *@ret alone. */
int pp_symbol_cache_read(struct pp_symbol_cache *cache, enum pp_cached kind,
			 const struct pp_elf *elf, struct pp_elf_symtab *ret);
/* Keeps it if it is worth it; failing to is no error. */
void pp_symbol_cache_write(struct pp_symbol_cache *cache, enum pp_cached kind,
			   const struct pp_elf *elf, const struct pp_elf_symtab *table);

#endif
