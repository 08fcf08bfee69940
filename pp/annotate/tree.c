// SPDX-License-Identifier: GPL-2.0-or-later
/* tree.c -- writes files below a directory, and nowhere else. */
#include "config.h"
#include "pp/annotate/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "pp/annotate/sources.h"

/* Create a directory with its parents. Follow symbolic links, because the user named the
 * directory. */
static int make_directory(const char *dir)
{
	char *path = strdup(dir);
	int err = 0;

	if (!path)
		return -ENOMEM;
	for (char *p = path + 1; !err && *path; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			err = -errno;
		*p = c;
		if (!c)
			break;
	}
	free(path);
	return err;
}

int pp_tree_open(struct pp_tree *ret, const char *dir)
{
	int err = *dir ? make_directory(dir) : -ENOENT;
	int fd;

	if (err)
		return err;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret = (struct pp_tree){ .fd = fd };
	return 0;
}

void pp_tree_close(struct pp_tree *tree)
{
	if (!tree->paths && tree->fd <= 0)
		return;
	for (size_t i = 0; i < tree->nr_paths; i++)
		free(tree->paths[i]);
	free(tree->paths);
	close(tree->fd);
	*tree = (struct pp_tree){ 0 };
}

char *pp_tree_safe_path(const char *path)
{
	char *rooted, *safe;

	if (asprintf(&rooted, "/%s", path) < 0)
		return NULL;
	/* the leading '/' prevents ".." from leaving the directory */
	safe = pp_source_clean_path(rooted);
	free(rooted);
	if (safe && safe[1])
		memmove(safe, safe + 1, strlen(safe));
	else if (safe)
		*safe = '_';
	return safe;
}

static bool is_written(const struct pp_tree *tree, const char *path)
{
	for (size_t i = 0; i < tree->nr_paths; i++)
		if (!strcmp(tree->paths[i], path))
			return true;
	return false;
}

/* Return a path at which no other source's file was written: @path, else @path~2, @path~3 and so
 * on. Two sources may have the same path after prefixes were removed. */
static char *free_path(const struct pp_tree *tree, const char *path)
{
	char *safe = pp_tree_safe_path(path), *other = NULL;

	if (!safe || !is_written(tree, safe))
		return safe;
	for (unsigned int n = 2;; n++) {
		if (asprintf(&other, "%s~%u", safe, n) < 0) {
			other = NULL;
			break;
		}
		if (!is_written(tree, other))
			break;
		free(other);
	}
	free(safe);
	return other;
}

static int remember(struct pp_tree *tree, char *path)
{
	if (op_grow(&tree->paths, tree->nr_paths))
		return -ENOMEM;
	tree->paths[tree->nr_paths++] = path;
	return 0;
}

/* Return whether @path, below the output directory, is the source file itself, perhaps by symbolic
 * links of directories. */
static bool is_source(const struct pp_tree *tree, const char *path, uint64_t device, uint64_t inode)
{
	struct stat st;

	return !fstatat(tree->fd, path, &st, 0) && st.st_dev == device && st.st_ino == inode;
}

int pp_tree_write(struct pp_tree *tree, const char *path, const void *data, size_t size,
		  mode_t mode, uint64_t device, uint64_t inode, char **ret_path)
{
	char *safe = free_path(tree, path), *copy;
	int err;

	if (!safe)
		return -ENOMEM;
	copy = ret_path ? strdup(safe) : NULL;
	err = ret_path && !copy ? -ENOMEM : 0;
	if (!err && is_source(tree, safe, device, inode))
		err = -EEXIST;
	if (!err)
		err = op_make_parents(tree->fd, safe, 0755);
	if (!err)
		err = op_replace_file_nowait(tree->fd, safe, data, size, mode);
	if (!err)
		err = remember(tree, safe);
	if (err) {
		free(copy);
		free(safe);
		return err;
	}
	if (ret_path)
		*ret_path = copy;
	return 0;
}
