// SPDX-License-Identifier: GPL-2.0-or-later
/* copy.c -- copying of files: copies the data between holes to a temporary file, then renames the
 * file. */
#include "config.h"
#include "pp/archive/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/dir.h"
#include "libop/base/fs.h"

/* Name of the temporary file. If a process is killed and leaves the file, the next copy into the
 * same directory replaces it. */
#define PARTIAL	".partial-copy"
#define BUFFER	(256 * 1024)

/* Copy the bytes from offset @at to offset @end. Return 0 or a negative errno. */
static int copy_bytes(int from, int to, off_t at, off_t end, char *buf)
{
	while (at < end) {
		size_t want = end - at < BUFFER ? end - at : BUFFER;
		ssize_t n = pread(from, buf, want, at);
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			/* the source was truncated during the copy: leave a hole in the copy */
			return 0;
		if (lseek(to, at, SEEK_SET) < 0)
			return -errno;
		err = op_write_all(to, buf, n);
		if (err)
			return err;
		at += n;
	}
	return 0;
}

static int copy_data(int from, int to, off_t size)
{
	char *buf = malloc(BUFFER);
	off_t at = 0, end;
	int err = buf ? 0 : -ENOMEM;

	while (!err && at < size) {
		at = lseek(from, at, SEEK_DATA);
		/* ENXIO: a hole ends the file. Other errors: the file system does not support
		 * SEEK_DATA. */
		if (at < 0)
			at = errno == ENXIO ? size : 0;
		end = at < size ? lseek(from, at, SEEK_HOLE) : size;
		if (end < 0 || end > size)
			end = size;
		err = copy_bytes(from, to, at, end, buf);
		at = end;
	}
	if (!err && ftruncate(to, size))
		err = -errno;
	free(buf);
	return err;
}

int pp_copy_file(int from, int to_dirfd, const char *to, mode_t mode)
{
	struct timespec times[2];
	const char *leaf;
	struct stat st;
	int dir, fd, err;

	if (fstat(from, &st))
		return -errno;
	dir = op_open_parent(to_dirfd, to, &leaf, 1, 0755);
	if (dir < 0)
		return dir;
	err = unlinkat(dir, PARTIAL, 0) && errno != ENOENT ? -errno : 0;
	if (err)
		goto done;
	fd = openat(dir, PARTIAL, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0) {
		err = -errno;
		goto done;
	}
	err = copy_data(from, fd, st.st_size);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	if (!err && futimens(fd, times))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(dir, PARTIAL, dir, leaf))
		err = -errno;
	if (err)
		unlinkat(dir, PARTIAL, 0);
done:
	close(dir);
	return err;
}

int pp_open_below(int dirfd, const char *path)
{
	const char *leaf;
	int dir = op_open_parent(dirfd, path, &leaf, 0, 0), fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, leaf, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

int pp_remove_tree(int dirfd, const char *path)
{
	const char *leaf;
	int dir = op_open_parent(dirfd, path, &leaf, 0, 0), fd, err = 0;

	if (dir < 0)
		return dir == -ENOENT ? 0 : dir;
	fd = openat(dir, leaf, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		err = errno == ENOENT ? 0 : -errno;
	} else {
		err = op_empty_dir(fd);
		close(fd);
		if (!err && unlinkat(dir, leaf, AT_REMOVEDIR))
			err = -errno;
	}
	close(dir);
	return err;
}
