/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_file.h -- search for the separate debug file of a stripped binary.
 */
#ifndef PP_IMAGE_DEBUG_FILE_H
#define PP_IMAGE_DEBUG_FILE_H

#include "pp/image/debuginfod.h"
#include "pp/image/elf.h"
#include "pp/base/log.h"

#define PP_DEBUG_DIR	"/usr/lib/debug"

/* Directories and servers in which debug files are searched. */
struct pp_debug_places {
	const char *root; /* prefix of all paths at which debug files are searched, or "" */
	/* debuginfod servers, which are queried last; NULL: no servers */
	struct pp_debuginfod *server;
	struct pp_log *log;
	/* path of a debug file that was checked for this binary before, or NULL */
	const char *known;
};

/*
 * Find the separate debug file of @elf. Search by build-id below ROOT/usr/lib/debug/.build-id. Then
 * search the name in .gnu_debuglink in the directory of @path, in its .debug/ and below
 * ROOT/usr/lib/debug. Then ask the servers for the build-id. Accept a file only if it has the
 * build-id of @elf or the checksum in .gnu_debuglink. @path: the binary's actual path, including
 * the root. Return a descriptor and set *@ret_path, malloc'd, or return -ENOENT or -ENOMEM.
 */
int pp_debug_file_open(const struct pp_elf *elf, const char *path,
		       const struct pp_debug_places *places, char **ret_path);

/* Return whether @debug_fd is the debug file of @elf: it has the same build-id, or the checksum in
 * .gnu_debuglink of @elf. */
bool pp_debug_file_agrees(const struct pp_elf *elf, int debug_fd);

/*
 * Open the supplementary file, to which dwz moved data that several debug files share. @elf: a
 * debug file with the section .gnu_debugaltlink, which has the supplementary file's path and
 * build-id. @path: the path of @elf. Search the path, first below @root, then the build-id. Accept
 * only a file with that build-id. Return a descriptor, -ENOENT if @elf does not name an existing
 * file, or -ENXIO if the file cannot be found.
 */
int pp_alt_file_open(const struct pp_elf *elf, const char *path, const char *root);

/* Open a regular file for reading. Do not block on a FIFO or open a device. Return a descriptor or
 * a negative errno. */
int pp_open_regular(const char *path);

#endif
