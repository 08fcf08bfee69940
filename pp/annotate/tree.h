/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h -- a directory that annotated files are written into, each under the path of its source.
 *
 * Paths come from debug data, so they decide nothing but names: no file outside of the directory is
 * made or changed, whatever ".." or symbolic links there are, and no source file is replaced.
 */
#ifndef PP_ANNOTATE_TREE_H
#define PP_ANNOTATE_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pp_tree {
	int fd;
	char **paths;		/* written so far */
	size_t nr_paths;
};

/* Makes the directory, with its parents, where it is missing. Negative errno. */
int pp_tree_open(struct pp_tree *ret, const char *dir);
/* Takes a zeroed struct too. */
void pp_tree_close(struct pp_tree *tree);

/*
 * Writes @path's file with @mode, in one step: old or new. *@ret_path, which may be NULL: where below
 * the directory, malloc'd. @device, @inode: of the source. -EEXIST: that would replace the source;
 * -ELOOP, -ENOTDIR: a symbolic link or a file is in the way; another negative errno.
 */
int pp_tree_write(struct pp_tree *tree, const char *path, const void *data, size_t size,
		  mode_t mode, uint64_t device, uint64_t inode, char **ret_path);

/* malloc'd: @path made relative, without "." and "..", which go up to the top at most. NULL: out of
 * memory. */
char *pp_tree_safe_path(const char *path);

#endif
