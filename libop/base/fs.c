// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fs.c -- reading and replacing of small files relative to a directory descriptor.
 */
#include "config.h"
#include "libop/base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/dir.h"
#include "libop/base/quota.h"

/* O_NOFOLLOW protects only the last component of a path, so open each component separately. */
int op_open_parent(int dirfd, const char *path, const char **leaf, int make, mode_t mode)
{
	char name[NAME_MAX + 1];
	const char *slash;
	int dir, next, err;

	if (!*path || *path == '/')
		return -EINVAL;
	dir = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	for (; (slash = strchr(path, '/')); path = slash + 1) {
		size_t len = slash - path;

		err = -EINVAL;
		if (!len || (len == 2 && !memcmp(path, "..", 2)))
			goto err_close;
		err = -ENAMETOOLONG;
		if (len > NAME_MAX)
			goto err_close;
		memcpy(name, path, len);
		name[len] = '\0';
		next = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0 && errno == ENOENT && make) {
			err = op_quota_request_dir(OP_QUOTA_OTHERS);
			if (!err && mkdirat(dir, name, mode) < 0 && errno != EEXIST)
				err = -errno;
			if (err)
				goto err_close;
			next = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		}
		if (next < 0) {
			err = -errno;
			goto err_close;
		}
		close(dir);
		dir = next;
	}
	if (!*path || !strcmp(path, "..")) {
		err = -EINVAL;
		goto err_close;
	}
	*leaf = path;
	return dir;

err_close:
	close(dir);
	return err;
}

int op_make_parents(int dirfd, const char *path, mode_t mode)
{
	const char *leaf;
	int dir = op_open_parent(dirfd, path, &leaf, 1, mode);

	if (dir < 0)
		return dir;
	close(dir);
	return 0;
}

/* Read @max bytes, or less at the end of the file. @at: offset in the file; -1: the current
 * position. */
static int read_until_full(int fd, void *buf, size_t max, off_t at, size_t *ret_len)
{
	char *p = buf;
	size_t len = 0;

	while (len < max) {
		ssize_t n = at < 0 ? read(fd, p + len, max - len) :
				     pread(fd, p + len, max - len, at + (off_t)len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += n;
	}
	*ret_len = len;
	return 0;
}

int op_read_all(int fd, void *buf, size_t max, size_t *ret_len)
{
	return read_until_full(fd, buf, max, -1, ret_len);
}

int op_read_all_at(int fd, void *buf, size_t max, off_t at, size_t *ret_len)
{
	return at < 0 ? -EINVAL : read_until_full(fd, buf, max, at, ret_len);
}

long op_read_some_at(void *fd, uint64_t at, void *buf, size_t len)
{
	ssize_t n = at > INT64_MAX ? 0 : pread(*(const int *)fd, buf, len, (off_t)at);

	return n < 0 ? -errno : n;
}

int op_read_file(int dirfd, const char *path, size_t max, char **ret, size_t *ret_len)
{
	const char *leaf;
	char *buf = NULL;
	struct stat st;
	size_t len = 0;
	int dir, fd, err;

	dir = op_open_parent(dirfd, path, &leaf, 0, 0);
	if (dir < 0)
		return dir;
	/* O_NONBLOCK: do not wait for the writer of a FIFO. */
	fd = openat(dir, leaf, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	close(dir);
	if (err)
		return err;

	err = -EINVAL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		goto done;
	err = -EFBIG;
	if (st.st_size < 0 || (uintmax_t)st.st_size > max)
		goto done;
	err = -ENOMEM;
	buf = malloc(st.st_size + 1);
	if (!buf)
		goto done;
	err = op_read_all(fd, buf, st.st_size, &len);
	if (err)
		goto done;
	buf[len] = '\0';
	*ret = buf;
	*ret_len = len;
	buf = NULL;
done:
	free(buf);
	close(fd);
	return err;
}

pid_t op_read_pid(int fd)
{
	char text[32];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	long pid;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	pid = strtol(text, NULL, 10);
	return pid > 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}

int op_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;
	int err = op_quota_request_write(fd, len);

	while (len && !err) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= n;
	}
	return err;
}

static int replace(int dirfd, const char *path, const void *data, size_t len, mode_t mode,
		   int wait)
{
	char tmp[NAME_MAX + 1];
	const char *leaf;
	int dir, fd, err;

	dir = op_open_parent(dirfd, path, &leaf, 0, 0);
	if (dir < 0)
		return dir;
	err = -ENAMETOOLONG;
	if ((size_t)snprintf(tmp, sizeof(tmp), "%s" OP_UNFINISHED, leaf) >= sizeof(tmp))
		goto done;
	/* remove a temporary file that a killed process has left */
	if (unlinkat(dir, tmp, 0) < 0 && errno != ENOENT) {
		err = -errno;
		goto done;
	}
	err = op_quota_request_name(OP_QUOTA_OTHERS);
	if (err)
		goto done;
	fd = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0) {
		err = -errno;
		goto done;
	}
	err = op_write_all(fd, data, len);
	if (!err && wait && fsync(fd) < 0)
		err = -errno;
	if (close(fd) < 0 && !err)
		err = -errno;
	if (!err && renameat(dir, tmp, dir, leaf) < 0)
		err = -errno;
	if (err)
		unlinkat(dir, tmp, 0);
done:
	close(dir);
	return err;
}

/* Open or create the spare file, which must be a regular file with a single link. Return a
 * descriptor or a negative errno. */
static int open_spare(int dir, const char *spare, mode_t mode)
{
	struct stat st;
	int err = 0, fd;

	if (faccessat(dir, spare, F_OK, AT_SYMLINK_NOFOLLOW))
		err = op_quota_request_name(OP_QUOTA_OTHERS);
	if (err)
		return err;
	fd = openat(dir, spare, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) < 0 ? -errno : !S_ISREG(st.st_mode) || st.st_nlink != 1 ? -EEXIST : 0;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Overwrite the spare file (see op_replace_file_in_place()). Do not truncate it first: on a full
 * disk, another program could use the freed blocks. */
static int write_over(int dir, const char *spare, const void *data, size_t len, mode_t mode)
{
	int err, fd = open_spare(dir, spare, mode);

	if (fd == -EEXIST || fd == -ELOOP || fd == -ENXIO) {
		if (unlinkat(dir, spare, 0) < 0)
			return -errno;
		fd = open_spare(dir, spare, mode);
	}
	if (fd < 0)
		return fd;
	err = op_write_all(fd, data, len);
	if (!err && ftruncate(fd, len) < 0)
		err = -errno;
	if (close(fd) < 0 && !err)
		err = -errno;
	return err;
}

int op_replace_file_in_place(int dirfd, const char *path, const void *data, size_t len, mode_t mode)
{
	char spare[NAME_MAX + 1];
	const char *leaf;
	int dir, err;

	dir = op_open_parent(dirfd, path, &leaf, 0, 0);
	if (dir < 0)
		return dir;
	err = -ENAMETOOLONG;
	if ((size_t)snprintf(spare, sizeof(spare), "%s.spare", leaf) >= sizeof(spare))
		goto done;
	err = write_over(dir, spare, data, len, mode);
	if (err)
		goto done;
	if (renameat2(dir, spare, dir, leaf, RENAME_EXCHANGE) == 0)
		goto done;
	/* The two files could not exchange their names, because the file does not exist yet or the
	 * file system does not support the exchange. So rename the spare file. */
	if (renameat(dir, spare, dir, leaf) < 0)
		err = -errno;
	else
		write_over(dir, spare, data, len, mode);
done:
	close(dir);
	return err;
}

int op_replace_file(int dirfd, const char *path, const void *data, size_t len, mode_t mode)
{
	return replace(dirfd, path, data, len, mode, 1);
}

int op_replace_file_nowait(int dirfd, const char *path, const void *data, size_t len, mode_t mode)
{
	return replace(dirfd, path, data, len, mode, 0);
}
