/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_file.h -- finds the separate file with the symbols of a stripped binary.
 */
#ifndef PP_IMAGE_DEBUG_FILE_H
#define PP_IMAGE_DEBUG_FILE_H

#include "pp/image/debuginfod.h"
#include "pp/image/elf.h"
#include "pp/base/log.h"

#define PP_DEBUG_DIR	"/usr/lib/debug"

/* Where debug files are looked for. */
struct pp_debug_places {
	const char *root;		/* "" or what precedes every path here */
	struct pp_debuginfod *server;	/* asked last; NULL: none */
	struct pp_log *log;
	const char *known;		/* found and checked before, for this binary; or NULL */
};

/*
 * By build-id below ROOT/usr/lib/debug/.build-id, then by .gnu_debuglink beside @path, in .debug/
 * there and below ROOT/usr/lib/debug; the build-id, or the link's checksum, must agree. Then by
 * build-id from the servers. @path: of the binary as it is found here, below the root. Returns an
 * open descriptor, -ENOENT or -ENOMEM; *@ret_path, malloc'd, on success.
 */
int pp_debug_file_open(const struct pp_elf *elf, const char *path,
		       const struct pp_debug_places *places, char **ret_path);

/* Return whether @debug_fd is the debug file of @elf: its build-id, or the checksum of
 * .gnu_debuglink, agrees. */
bool pp_debug_file_agrees(const struct pp_elf *elf, int debug_fd);

/*
 * The supplementary file into which dwz moved what several debug files share, as named by
 * .gnu_debugaltlink in @elf, the debug file at @path: where the link says, below @root first, or by
 * build-id; the build-id must agree. A descriptor, -ENOENT when @elf names none, -ENXIO when it is
 * not to be found.
 */
int pp_alt_file_open(const struct pp_elf *elf, const char *path, const char *root);

/* A regular file, read only, without waiting for FIFOs or touching devices; or negative errno. */
int pp_open_regular(const char *path);

#endif
