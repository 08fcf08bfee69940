/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.h -- the paths of debug files in an archive, at which reports look for them.
 */
#ifndef PP_ARCHIVE_PLACES_H
#define PP_ARCHIVE_PLACES_H

#define PP_ARCHIVE_SESSION_DIR	"var/lib/oprofile"	/* below the archive */

/*
 * Return the path in the archive, malloc'd, at which reports look first for the debug file that is
 * open as @fd and was found at @path. @binary is the program's path in the archive. Return NULL
 * without memory.
 */
char *pp_archive_debug_place(int fd, const char *path, const char *binary);

/*
 * Like pp_archive_debug_place(), for the file at @path into which the compiler split debug data.
 * @binary is the absolute path of the program in the archive; @root precedes every path outside of
 * the archive.
 */
char *pp_archive_split_place(const char *path, const char *binary, const char *root);

#endif
