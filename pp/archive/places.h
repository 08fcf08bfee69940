/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.h -- paths of debug files in an archive: the paths at which reports look for the files.
 */
#ifndef PP_ARCHIVE_PLACES_H
#define PP_ARCHIVE_PLACES_H

/* path of the archived session, relative to the archive */
#define PP_ARCHIVE_SESSION_DIR	"var/lib/oprofile"

/*
 * Return the path in the archive, malloc'd, at which reports first look for a debug file. The debug
 * file is open as @fd and was found at @path. @binary is the program's path in the archive. Return
 * NULL if memory is short.
 */
char *pp_archive_debug_place(int fd, const char *path, const char *binary);

/*
 * Return the path in the archive, malloc'd, of the file at @path, into which the compiler split
 * debug data. Return NULL if memory is short. @binary is the absolute path of the program in the
 * archive; @root precedes every path outside of the archive.
 */
char *pp_archive_split_place(const char *path, const char *binary, const char *root);

#endif
