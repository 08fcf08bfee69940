/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h -- copies of files that read the same: bytes, holes, times.
 *
 * Destinations are paths relative to a directory descriptor; no symbolic link below it is followed,
 * and a file that is there is replaced in one step.
 */
#ifndef PP_ARCHIVE_COPY_H
#define PP_ARCHIVE_COPY_H

#include <sys/types.h>

/* Copies what is in @from now (a file that grows meanwhile is cut off there), with the time of last
 * change, into @to; directories are made. 0 or negative errno. */
int pp_copy_file(int from, int to_dirfd, const char *to, mode_t mode);

/* A file without links in its way, opened for reading; or negative errno. */
int pp_open_below(int dirfd, const char *path);

/* Removes a directory and all in it, following nothing. 0 when there is none. */
int pp_remove_tree(int dirfd, const char *path);

#endif
