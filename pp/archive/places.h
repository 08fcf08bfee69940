/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.h -- where things lie in an archive, so that a report finds them there.
 */
#ifndef PP_ARCHIVE_PLACES_H
#define PP_ARCHIVE_PLACES_H

#define PP_ARCHIVE_SESSION_DIR	"var/lib/oprofile"	/* below the archive */

/*
 * Return the place below the archive, malloc'd, where a debug file is looked for first, whatever place it was found
 * in here: @fd, of the file @path. @binary is the program's place there. NULL: no memory.
 */
char *pp_archive_debug_place(int fd, const char *path, const char *binary);

/*
 * The same of the file at @path into which the compiler split debug data of @binary, the absolute path of the program
 * in the archive. @root precedes every path here.
 */
char *pp_archive_split_place(const char *path, const char *binary, const char *root);

#endif
