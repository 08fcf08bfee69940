// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir.c -- reading, cleaning and emptying of directories relative to a descriptor.
 */
#include "config.h"
#include "libop/base/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_DIR	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int op_open_dir(int dirfd, const char *name, DIR **ret)
{
	int fd = openat(dirfd, name, OPEN_DIR);
	DIR *dir;

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		int err = -errno;

		close(fd);
		return err;
	}
	*ret = dir;
	return 0;
}

struct dirent *op_next_entry(DIR *dir)
{
	struct dirent *d;

	do {
		d = readdir(dir);
	} while (d && (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..")));
	return d;
}

/* Delete the entries of the directory @fd. Return 0 if the directory is empty now. Return 1, with
 * *@child set to the first subdirectory that is not empty, or a negative errno. */
static int empty_one(int fd, char *child, size_t size)
{
	struct dirent *d;
	DIR *dir;
	int ret = op_open_dir(fd, ".", &dir);

	if (ret)
		return ret;
	while ((d = op_next_entry(dir))) {
		if (unlinkat(fd, d->d_name, 0) == 0 || errno == ENOENT)
			continue;
		if (errno != EISDIR && errno != EPERM) {
			ret = -errno;
			break;
		}
		if (unlinkat(fd, d->d_name, AT_REMOVEDIR) == 0)
			continue;
		if (errno != ENOTEMPTY && errno != EEXIST) {
			ret = -errno;
			break;
		}
		snprintf(child, size, "%s", d->d_name);
		ret = 1;
		break;
	}
	closedir(dir);
	return ret;
}

/* Other users can choose the depth of the directory tree, because the tree contains the paths of
 * their programs. So neither the use of the stack nor the number of open descriptors may depend on
 * the depth. */
int op_empty_dir(int dirfd)
{
	char child[NAME_MAX + 1];
	long depth = 0;
	int fd, err;

	fd = openat(dirfd, ".", OPEN_DIR);
	if (fd < 0)
		return -errno;
	for (;;) {
		int next;

		err = empty_one(fd, child, sizeof(child));
		if (err < 0 || (err == 0 && depth == 0))
			break;
		next = openat(fd, err ? child : "..", OPEN_DIR);
		if (next < 0) {
			err = -errno;
			break;
		}
		depth += err ? 1 : -1;
		close(fd);
		fd = next;
	}
	close(fd);
	return err;
}

void op_delete_unfinished(int dirfd)
{
	const size_t suffix = strlen(OP_UNFINISHED);
	struct dirent *d;
	DIR *dir;

	if (op_open_dir(dirfd, ".", &dir))
		return;
	while ((d = op_next_entry(dir))) {
		size_t len = strlen(d->d_name);

		if (len > suffix && !strcmp(d->d_name + len - suffix, OP_UNFINISHED))
			unlinkat(dirfd, d->d_name, 0);
	}
	closedir(dir);
}
