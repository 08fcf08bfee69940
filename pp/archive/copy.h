/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h -- exact copies of files: bytes, holes, times.
 *
 * Destinations are paths relative to a directory descriptor. Symbolic links below the directory are
 * not followed, and an existing file is replaced in one step.
 */
#ifndef PP_ARCHIVE_COPY_H
#define PP_ARCHIVE_COPY_H

#include <sys/types.h>

/* Copy the current contents of @from and the time of its last change to @to, and create the
 * directories of @to. Bytes that are appended while the file is copied are not copied. Return 0 or
 * a negative errno. */
int pp_copy_file(int from, int to_dirfd, const char *to, mode_t mode);

/* Open a file for reading without following links. Return a descriptor or a negative errno. */
int pp_open_below(int dirfd, const char *path);

/* Remove a directory and its contents, without following links. Return 0, also if the directory
 * does not exist, or a negative errno. */
int pp_remove_tree(int dirfd, const char *path);

#endif
