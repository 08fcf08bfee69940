/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.h -- one build of a binary: the profiled file if it exists on this machine, else the symbol
 * table that the daemon stored (libop/session/identity.h).
 *
 * Two builds are the same if their build-ids are equal; without build-ids, if the hashes of their
 * contents are equal; without hashes, if their modification times are equal. Symbols of a file that
 * is known to be another build are not used.
 */
#ifndef PP_IMAGE_BUILD_H
#define PP_IMAGE_BUILD_H

#include <stdbool.h>

#include "libop/session/build_ids.h"
#include "libop/session/identity.h"
#include "pp/image/debug_file.h"
#include "pp/image/elf.h"
#include "pp/image/elf_symtab.h"
#include "pp/image/kept_table.h"
#include "pp/image/symbol_cache.h"
#include "pp/base/log.h"

struct pp_build_wanted {
	const char *path;		/* the binary's path when it was profiled */
	struct op_identity identity;
	uint64_t mtime; /* the binary's modification time when it was profiled; 0: unknown */
};

struct pp_build_places {
	const char *image_path; /* other directories to search, separated by commas; NULL: none */
	/* directories and servers of debug files, and the root of all paths */
	struct pp_debug_places debug;
	struct pp_symbol_cache *cache;		/* cache of symbol tables; NULL: no cache */
	/* build-ids of binaries that the sessions recorded */
	const struct op_build_ids *build_ids;
	char *const *samples_dirs;
	size_t nr_samples_dirs;
	bool force; /* use a file even if it is not the profiled build */
};

enum pp_build_state {
	PP_BUILD_FOUND,
	/* the file is missing, but the daemon stored a table of its symbols */
	PP_BUILD_KEPT,
	/* only another build of the binary is on this machine */
	PP_BUILD_OTHER,
	/* no file was found, or the file is unreadable or not an ELF file */
	PP_BUILD_MISSING,
};

struct pp_build {
	enum pp_build_state state;
	struct op_identity identity;	/* identity of the profiled build */
	uint64_t mtime; /* modification time of the profiled build, recorded with the samples */
	/* path of the file; NULL: the file is missing, or has no path */
	char *path;
	int fd;				/* descriptor of the build's file; -1: no file */
	/* headers of the file or, if it has no sections, of the stored symbol table */
	struct pp_elf elf;
	/* build-id of the build's file in hex; NULL: unknown */
	char *build_id;
	/* build-id of the profiled build; NULL: its file was found, or the build-id is unknown */
	char *missing_id;
	bool has_text;
	uint64_t text_vma;
	struct pp_elf_symtab elf_symtab;
	struct pp_kept_table kept;
	/* symbols of the file, or of the table that the daemon stored; NULL: no symbols */
	const struct pp_symtab *symtab;
	const char *symbols_from; /* source of the symbols, such as ".dynsym"; NULL: no symbols */
	/* address range of the PLT stubs, which have no symbols; empty if both are equal */
	uint64_t plt_start, plt_end;
};

/* Find the profiled build, and set *@ret in any case. Warn in the log if the build's file is
 * missing, or if only another build exists. Return 0 or -ENOMEM. The caller calls
 * pp_build_close(). */
int pp_build_find(struct pp_build **ret, const struct pp_build_wanted *wanted,
		  const struct pp_build_places *places, struct pp_log *log);
/* Make a build from an open file. The build owns @fd and @path. Return 0, -ENOEXEC or -ENOMEM. */
int pp_build_of_file(struct pp_build **ret, int fd, char *path,
		     const struct pp_build_places *places);
/* Call @fn with the name of each symbol table (libop/session/identity.h) that the daemon may have
 * stored for the build, until @fn returns 0 or -ENOMEM. Return the result of the last call, or
 * -ENOENT if no call succeeded. */
int pp_build_each_table(const struct pp_build_wanted *wanted, const struct op_build_ids *ids,
			int (*fn)(void *arg, const char *name), void *arg);
/*
 * Open the symbol table @name of the session in @samples_dir. If several tables exist, prefer the
 * table that was made with the binary's debug file. Return a descriptor and set *@path, which the
 * caller frees, or return a negative errno.
 */
int pp_build_open_table(const char *samples_dir, const char *name, char **path);
/* Close the build. @build may be NULL. */
void pp_build_close(struct pp_build *build);

#endif
