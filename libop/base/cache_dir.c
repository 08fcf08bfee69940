// SPDX-License-Identifier: GPL-2.0-or-later
/* cache_dir.c -- search, creation and check of a user's cache directory. */
#include "config.h"
#include "libop/base/cache_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/owner.h"
#include "libop/base/size.h"

#define MAX_LIMIT_TEXT	64	/* size of a buffer for the contents of the limit file */

/* Return the value of the environment variable @name if it is an absolute path, otherwise NULL. */
static const char *path_in(const char *name)
{
	const char *path = getenv(name);

	return path && *path == '/' ? path : NULL;
}

char *op_cache_dir(void)
{
	const char *dir = path_in(OP_CACHE_DIR_ENV), *suffix = "";
	char *ret;

	if (!dir) {
		dir = path_in("XDG_CACHE_HOME");
		suffix = "/oprofile";
	}
	if (!dir && geteuid() == 0) {
		dir = OP_ROOT_CACHE_DIR;
		suffix = "";
	}
	if (!dir) {
		dir = path_in("HOME");
		suffix = "/.cache/oprofile";
	}
	return dir && asprintf(&ret, "%s%s", dir, suffix) >= 0 ? ret : NULL;
}

/* Open the parent directory of @path. @leaf is a pointer to the last component of @path. */
static int open_parent(const char *path, const char *leaf)
{
	char *parent = leaf - path > 1 ? strndup(path, (size_t)(leaf - path) - 1) : strdup("/");
	int fd, err;

	if (!parent)
		return -ENOMEM;
	/* The parent directory of root's cache is /var/cache, which other users need as well.
	 * The parent directory of a user's cache is ~/.cache, which is private. */
	mkdir(parent, geteuid() == 0 ? 0755 : 0700);
	fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	free(parent);
	/* As root, refuse a parent directory that another user may write to: that user could
	 * replace the cache directory by a link to any directory. */
	if (!err && geteuid() == 0)
		err = op_owner_check(fd, path, NULL);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

/* Open the directory @name in @parent; create it if it is missing. Return a descriptor or a
 * negative errno. */
static int open_own(int parent, const char *name)
{
	struct stat st;
	int fd, err;

	mkdirat(parent, name, 0700);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	if (!err && (fstat(fd, &st) || st.st_uid != geteuid() || st.st_mode & 022))
		err = -EPERM;
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int op_cache_dir_open(const char *path)
{
	const char *slash = strrchr(path, '/');
	int parent, fd;

	if (!slash || !slash[1])
		return -EINVAL;
	parent = open_parent(path, slash + 1);
	if (parent < 0)
		return parent;
	fd = open_own(parent, slash + 1);
	close(parent);
	return fd;
}

int op_cache_tables_open(const char *path)
{
	int parent = path ? op_cache_dir_open(path) : -ENOENT, fd;

	if (parent < 0)
		return parent;
	fd = open_own(parent, OP_CACHE_TABLES_DIR);
	close(parent);
	return fd;
}

int op_cache_limit_parse(uint64_t *ret, const char *text)
{
	uint64_t bytes;
	int err = op_size_parse(&bytes, text);

	if (!err && bytes < OP_CACHE_LEAST_BYTES)
		err = -ERANGE;
	if (!err)
		*ret = bytes;
	return err;
}

/* Read the limit of the tables' total size from the file OP_CACHE_LIMIT_FILE in the cache directory
 * @path. Return 0 or a negative errno. */
static int read_limit(uint64_t *ret, const char *path)
{
	int dir = op_cache_dir_open(path), err;
	char *text;
	size_t len;

	if (dir < 0)
		return dir;
	err = op_read_file(dir, OP_CACHE_LIMIT_FILE, MAX_LIMIT_TEXT, &text, &len);
	close(dir);
	if (err)
		return err;
	text[strcspn(text, "\n")] = '\0';
	err = op_cache_limit_parse(ret, text);
	free(text);
	return err;
}

int op_cache_max_bytes(uint64_t *ret, const char *path)
{
	const char *text = getenv(OP_CACHE_SIZE_ENV);

	*ret = OP_CACHE_BYTES;
	if (text && *text)
		return op_cache_limit_parse(ret, text);
	if (path)
		read_limit(ret, path);
	return 0;
}

int op_cache_set_limit(const char *path, const char *text)
{
	int dir = path ? op_cache_dir_open(path) : -ENOENT, err;
	char line[MAX_LIMIT_TEXT];

	if (dir < 0)
		return dir;
	snprintf(line, sizeof(line), "%s\n", text);
	err = op_replace_file(dir, OP_CACHE_LIMIT_FILE, line, strlen(line), 0600);
	close(dir);
	return err;
}
