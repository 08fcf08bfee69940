/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.h -- paths of debug files in an archive, at which reports find the files.
 */
#ifndef PP_ARCHIVE_PLACES_H
#define PP_ARCHIVE_PLACES_H

/* path of the archived session, relative to the archive */
#define PP_ARCHIVE_SESSION_DIR	"var/lib/oprofile"

/*
 * Return the path in the archive, malloc'd, at which reports first search the debug file @fd.
 * @path: the file's path on this machine. @binary: the program's path in the archive. Return NULL
 * if memory is short.
 */
char *pp_archive_debug_place(int fd, const char *path, const char *binary);

/*
 * Return the path in the archive, malloc'd, of @path, a file of split debug data. @binary: the
 * program's absolute path in the archive. @root: prefix of all paths outside the archive. Return
 * NULL if memory is short.
 */
char *pp_archive_split_place(const char *path, const char *binary, const char *root);

#endif
