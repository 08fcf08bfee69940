/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h -- a directory of annotated files, each at the path of its source.
 *
 * Paths come from debug data and are not trusted: no file outside of the directory is created or
 * changed, in spite of ".." and symbolic links, and no source file is replaced.
 */
#ifndef PP_ANNOTATE_TREE_H
#define PP_ANNOTATE_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pp_tree {
	int fd;
	char **paths;		/* paths of the source files that were written so far */
	size_t nr_paths;
};

/* Open the directory; create it, with its parents, if it is missing. Return 0 or a negative
 * errno. */
int pp_tree_open(struct pp_tree *ret, const char *dir);
/* @tree may be all zero. */
void pp_tree_close(struct pp_tree *tree);

/*
 * Write the file of @path with @mode, atomically. Store its malloc'd path below the directory in
 * *@ret_path, unless @ret_path is NULL. @device, @inode: device and inode of the source file.
 * Return 0; -EEXIST: the file would replace the source; -ELOOP or -ENOTDIR: a symbolic link or a
 * file is in the path; or another negative errno.
 */
int pp_tree_write(struct pp_tree *tree, const char *path, const void *data, size_t size,
		  mode_t mode, uint64_t device, uint64_t inode, char **ret_path);

/* Return @path as a relative path without "." and "..", malloc'd, or NULL if out of memory.
 * Declared for tests. */
char *pp_tree_safe_path(const char *path);

#endif
