/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.h -- one build of a binary: the profiled file if it exists on this machine, otherwise its
 * stored symbol table (libop/session/identity.h).
 *
 * Builds are compared by build-id or, if it is unknown, by a hash of the contents; if both are
 * unknown, by the time of last change. Symbols of a file that is known to be another build are not
 * used.
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
	uint64_t mtime; /* modification time that the binary had when it was profiled; 0: unknown */
};

struct pp_build_places {
	const char *image_path; /* more directories to search, separated by commas; NULL: none */
	struct pp_debug_places debug; /* places of debug files, and the root of all paths */
	struct pp_symbol_cache *cache;		/* cache of symbol tables; NULL: no cache */
	const struct op_build_ids *build_ids;	/* build-ids of the sessions */
	char *const *samples_dirs;
	size_t nr_samples_dirs;
	bool force; /* use a file even if it is not the profiled build */
};

enum pp_build_state {
	PP_BUILD_FOUND,
	PP_BUILD_KEPT,		/* the profiled file is missing, but its symbols were stored */
	/* the profiled file does not exist on this machine, but another build of the binary does */
	PP_BUILD_OTHER,
	/* no file was found, or the file is unreadable or not an ELF file */
	PP_BUILD_MISSING,
};

struct pp_build {
	enum pp_build_state state;
	struct op_identity identity;	/* identity of the build that is searched */
	uint64_t mtime;			/* modification time of the wanted build */
	/* path of the file; NULL: there is no file, or the file has no path */
	char *path;
	int fd;				/* descriptor of the file; -1: no file */
	struct pp_elf elf; /* headers of the file, or of a stored table, which has no sections */
	/* build-id of the file in hexadecimal digits; NULL: unknown */
	char *build_id;
	/* build-id of the wanted build if its file was not found; NULL: found, or unknown */
	char *missing_id;
	bool has_text;
	uint64_t text_vma;
	struct pp_elf_symtab elf_symtab;
	struct pp_kept_table kept;
	const struct pp_symtab *symtab;	/* symbols of the file or of the stored table, or NULL */
	const char *symbols_from; /* source of the symbols, such as ".dynsym"; NULL: no symbols */
	/* address range of PLT stubs without symbols; empty if both addresses are equal */
	uint64_t plt_start, plt_end;
};

/* Find the build. A missing or different file is reported to the log; *@ret is set anyway. Return 0
 * or -ENOMEM. */
int pp_build_find(struct pp_build **ret, const struct pp_build_wanted *wanted,
		  const struct pp_build_places *places, struct pp_log *log);
/* Make the build of an open file, and take ownership of @fd and @path. Return 0, -ENOEXEC or
 * -ENOMEM. */
int pp_build_of_file(struct pp_build **ret, int fd, char *path,
		     const struct pp_build_places *places);
/* Call @fn with the name of each table (libop/session/identity.h) that may have the build's
 * symbols, until @fn returns 0 or -ENOMEM. Return the result of the last call, or -ENOENT if every
 * call failed. */
int pp_build_each_table(const struct pp_build_wanted *wanted, const struct op_build_ids *ids,
			int (*fn)(void *arg, const char *name), void *arg);
/*
 * Open the table @name of the session in the directory @samples_dir, or the table of the same
 * binary with its debug file, which is preferred. Return a descriptor and store the path, which the
 * caller frees, or return a negative errno.
 */
int pp_build_open_table(const char *samples_dir, const char *name, char **path);
/* Close the build. Accepts NULL. */
void pp_build_close(struct pp_build *build);

#endif
