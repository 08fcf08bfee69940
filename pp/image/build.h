/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.h -- one build of a binary: the file that was profiled if it is here, else what was kept of
 * its symbols (libop/session/identity.h).
 *
 * The build-id decides wherever it is known, else a hash of the contents; the time of last change
 * only where neither was noted. A file known to be another is never asked for names.
 */
#ifndef PP_IMAGE_BUILD_H
#define PP_IMAGE_BUILD_H

#include "libop/session/build_ids.h"
#include "libop/session/identity.h"
#include "pp/image/debug_file.h"
#include "pp/image/elf.h"
#include "pp/image/elf_symtab.h"
#include "pp/image/kept_table.h"
#include "pp/image/symbol_cache.h"
#include "pp/base/log.h"

struct pp_build_wanted {
	const char *path;		/* as it was profiled */
	struct op_identity identity;
	uint64_t mtime;			/* 0: not known */
};

struct pp_build_places {
	const char *image_path;			/* NULL: none */
	struct pp_debug_places debug;		/* with the root */
	struct pp_symbol_cache *cache;		/* NULL: none */
	const struct op_build_ids *build_ids;	/* of the sessions */
	char *const *samples_dirs;
	size_t nr_samples_dirs;
	int force;				/* take another build than the one profiled */
};

enum pp_build_state {
	PP_BUILD_FOUND,
	PP_BUILD_KEPT,		/* not here, but its symbols were kept */
	PP_BUILD_OTHER,		/* only another build is here */
	PP_BUILD_MISSING,	/* no such file, not readable, not ELF */
};

struct pp_build {
	enum pp_build_state state;
	struct op_identity identity;	/* that was asked for */
	uint64_t mtime;			/* ... */
	/* where it was found; NULL: no file, or one without a path */
	char *path;
	int fd;				/* -1: none */
	struct pp_elf elf;		/* of a kept table without its file */
	char *build_id;			/* hex, or NULL */
	int has_text;
	uint64_t text_vma;
	struct pp_elf_symtab elf_symtab;
	struct pp_kept_table kept;
	const struct pp_symtab *symtab;	/* of one of the two, or NULL */
	const char *symbols_from;	/* ".symtab" and so on; NULL: no symbols */
	uint64_t plt_start, plt_end;	/* of stubs that have no symbols there; equal: none */
};

/* Always a build, whatever is missing is told to the log. -ENOMEM. */
int pp_build_find(struct pp_build **ret, const struct pp_build_wanted *wanted,
		  const struct pp_build_places *places, struct pp_log *log);
/* That of an open file, whatever it is; takes over @fd and @path. -ENOEXEC, -ENOMEM. */
int pp_build_of_file(struct pp_build **ret, int fd, char *path,
		     const struct pp_build_places *places);
/* Calls @fn with the name of each table (libop/session/identity.h) that the build's symbols may
 * be kept in, until it returns 0 or -ENOMEM. That, or -ENOENT. */
int pp_build_each_table(const struct pp_build_wanted *wanted, const struct op_build_ids *ids,
			int (*fn)(void *arg, const char *name), void *arg);
/*
 * Open the table @name of the session in the directory @samples_dir, or the table of the same
 * binary with its debug file, which is preferred. Return a descriptor and store the path, which the
 * caller frees, or return a negative errno.
 */
int pp_build_open_table(const char *samples_dir, const char *name, char **path);
/* Takes NULL. */
void pp_build_close(struct pp_build *build);

#endif
