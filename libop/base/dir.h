/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir.h -- directories, read and emptied relative to a descriptor, following no symbolic link.
 */
#ifndef OP_BASE_DIR_H
#define OP_BASE_DIR_H

#include <dirent.h>

/* Opens @name in @dirfd to read its entries; not through a link. closedir() *@ret. 0 or negative errno. */
int op_open_dir(int dirfd, const char *name, DIR **ret);

/* The next entry but "." and "..", NULL after the last. */
struct dirent *op_next_entry(DIR *dir);

/* Deletes all below the directory @dirfd, however deep. 0 or the first negative errno. */
int op_empty_dir(int dirfd);

#endif
