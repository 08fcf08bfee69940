/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_file.h -- the separate file with the symbols of a stripped binary.
 */
#ifndef PP_IMAGE_DEBUG_FILE_H
#define PP_IMAGE_DEBUG_FILE_H

#include "pp/image/debuginfod.h"
#include "pp/image/elf.h"
#include "pp/base/log.h"

#define PP_DEBUG_DIR	"/usr/lib/debug"

/* The places where debug files are searched. */
struct pp_debug_places {
	const char *root;		/* prefix of each path in this struct, or "" */
	/* servers of debug files, which are asked last; NULL: none */
	struct pp_debuginfod *server;
	struct pp_log *log;
	/* path of a debug file that was checked for this binary by an earlier call, or NULL */
	const char *known;
};

/*
 * Find the debug file: by build-id below ROOT/usr/lib/debug/.build-id, then by .gnu_debuglink in
 * the directory of @path, in its .debug/ and below ROOT/usr/lib/debug, then by build-id from the
 * servers. The file must have the build-id of @elf, or the checksum in .gnu_debuglink. @path: the
 * binary's actual path, including the root. Return a descriptor and set *@ret_path, malloc'd; or
 * return -ENOENT or -ENOMEM.
 */
int pp_debug_file_open(const struct pp_elf *elf, const char *path,
		       const struct pp_debug_places *places, char **ret_path);

/* Return whether @debug_fd is the debug file of @elf: whether the file has the build-id of @elf, or
 * the checksum in .gnu_debuglink of @elf. */
bool pp_debug_file_agrees(const struct pp_elf *elf, int debug_fd);

/*
 * Open the supplementary file to which dwz moved data shared by several debug files. The section
 * .gnu_debugaltlink in @elf, the debug file at @path, has the file's path and build-id. Search the
 * path, first below @root, then the build-id. The file must have that build-id. Return a
 * descriptor, -ENOENT if @elf names no file that exists, or -ENXIO if it cannot be found.
 */
int pp_alt_file_open(const struct pp_elf *elf, const char *path, const char *root);

/* Open a regular file for reading, without blocking on FIFOs or opening devices. Return a
 * descriptor or a negative errno. */
int pp_open_regular(const char *path);

#endif
