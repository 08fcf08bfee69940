/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h -- copies of files with their contents, holes and times.
 *
 * Destinations are paths relative to a directory descriptor. Symbolic links below the directory are
 * not followed. An existing file is replaced atomically.
 */
#ifndef PP_ARCHIVE_COPY_H
#define PP_ARCHIVE_COPY_H

#include <sys/types.h>

/* Copy the contents and the modification time of @from to @to. Create missing parent directories of
 * @to. Do not copy bytes that are appended during the copy. Return 0 or a negative errno. */
int pp_copy_file(int from, int to_dirfd, const char *to, mode_t mode);

/* Open a file for reading without following links. Return a descriptor or a negative errno. */
int pp_open_below(int dirfd, const char *path);

/* Remove a directory and its contents, without following links. Return 0, also if the directory
 * does not exist, or a negative errno. */
int pp_remove_tree(int dirfd, const char *path);

#endif
