/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h -- a directory of annotated files, each at the path of its source.
 *
 * Paths come from debug data and are not trusted. No file outside the directory is created or
 * changed, in spite of ".." and symbolic links. No source file is replaced.
 */
#ifndef PP_ANNOTATE_TREE_H
#define PP_ANNOTATE_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pp_tree {
	int fd;
	char **paths;		/* paths of the files that were written into the directory */
	size_t nr_paths;
};

/* Open the directory. If it is missing, create it and its parents. Return 0 or a negative errno. */
int pp_tree_open(struct pp_tree *ret, const char *dir);
/* Free the contents of @tree, which may be zeroed. */
void pp_tree_close(struct pp_tree *tree);

/*
 * Write the file for the source @path with @mode, atomically. Store its path below the directory,
 * malloc'd, in *@ret_path, unless @ret_path is NULL. @device, @inode: of the source file. Return 0,
 * -EEXIST if the file would replace the source, -ELOOP or -ENOTDIR if a symbolic link or a file is
 * on the path, or another negative errno.
 */
int pp_tree_write(struct pp_tree *tree, const char *path, const void *data, size_t size,
		  mode_t mode, uint64_t device, uint64_t inode, char **ret_path);

/* Return @path as a relative path without "." and "..", malloc'd, or NULL if out of memory. Public
 * only for tests. */
char *pp_tree_safe_path(const char *path);

#endif
