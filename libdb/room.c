// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * room.c -- reservation of disk space for files that are written through a mapping.
 */
#include "config.h"
#include "libdb/room.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libdb/odb.h"

#define BLOCK	4096

/* Static, because the limit on the growth of files applies to the whole process. */
static int (*ask_growth)(uint64_t bytes);

void odb_limit_growth(int (*request_growth)(uint64_t bytes))
{
	ask_growth = request_growth;
}

/* Call the function that odb_limit_growth() has set, to ask whether a file may grow to @to bytes.
 * The file has @has bytes on disk. Ask for one block more than the file needs, for the file
 * system's metadata. */
static int request_growth(uint64_t to, uint64_t has)
{
	to = (to + BLOCK - 1) / BLOCK * BLOCK;
	return ask_growth && to > has ? ask_growth(to - has + BLOCK) : 0;
}

/* Reserve space by writing zeros, on file systems without fallocate(). */
static int write_zeros(int fd, off_t from, off_t to)
{
	static const char zeros[4096];

	while (from < to) {
		size_t want = (size_t)(to - from) < sizeof(zeros) ? (size_t)(to - from) :
								   sizeof(zeros);
		ssize_t n = pwrite(fd, zeros, want, from);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		from += n;
	}
	return 0;
}

/*
 * Set the length by ftruncate() first and reserve the space afterwards. With fallocate() alone,
 * ext4 loses data if pages are larger than blocks: later stores through a mapping into the rest of
 * the last page never reach the disk (seen on Linux 6.1 with blocks of 1 KiB).
 */
int odb_extend_file(int fd, off_t from, off_t to)
{
	struct stat st;
	int err = fstat(fd, &st)
			  ? -errno
			  : request_growth((uint64_t)to, (uint64_t)st.st_blocks * 512);

	if (err)
		return err;
	if (ftruncate(fd, to) < 0)
		return -errno;
	while (fallocate(fd, 0, from, to - from) < 0) {
		if (errno == EINTR)
			continue;
		err = -errno;
		break;
	}
	if (err == -EOPNOTSUPP || err == -ENOSYS)
		err = write_zeros(fd, from, to);
	return err;
}

/* Allocate blocks for holes on file systems without fallocate(): read the file and write the same
 * bytes. */
static int rewrite(int fd)
{
	char buf[4096];
	off_t pos = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), pos)) > 0) {
		n = pwrite(fd, buf, n, pos);
		if (n < 0)
			break;
		pos += n;
	}
	return n < 0 ? -errno : 0;
}

int odb_fill_holes(int fd, const struct stat *st)
{
	uint64_t has = (uint64_t)st->st_blocks * 512;
	int err;

	if (has >= (uint64_t)st->st_size)
		return 0;
	err = request_growth((uint64_t)st->st_size, has);
	if (err)
		return err;
	if (!fallocate(fd, 0, 0, st->st_size))
		return 0;
	return errno == EOPNOTSUPP || errno == ENOSYS ? rewrite(fd) : -errno;
}

int odb_sync_map(int fd, void *map, size_t len, int wait)
{
	/* MS_ASYNC does nothing on Linux; sync_file_range() starts the writing. */
	if (!wait)
		return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE) < 0 ? -errno : 0;
	return msync(map, len, MS_SYNC) < 0 ? -errno : 0;
}
