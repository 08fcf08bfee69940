/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir.h -- reading and emptying of directories relative to a descriptor, without following symbolic
 * links.
 */
#ifndef OP_BASE_DIR_H
#define OP_BASE_DIR_H

#include <dirent.h>

/* Open the directory @name in @dirfd, unless it is a symbolic link. The caller closes *@ret with
 * closedir(). Return 0 or a negative errno. */
int op_open_dir(int dirfd, const char *name, DIR **ret);

/* Return the next entry of the directory except "." and ".."; NULL after the last entry. */
struct dirent *op_next_entry(DIR *dir);

/* Delete all files and directories in the directory @dirfd, at any depth. Return 0 or the first
 * negative errno. */
int op_empty_dir(int dirfd);

/* suffix of the name of a file that is being written; a complete file is renamed */
#define OP_UNFINISHED	".tmp"

/* Delete the files with the suffix OP_UNFINISHED in the directory @dirfd, which killed processes
 * have left. Ignore errors. */
void op_delete_unfinished(int dirfd);

#endif
