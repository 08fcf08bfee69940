// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * room.c -- space on the disk for what will be written through a mapping.
 */
#include "config.h"
#include "libdb/room.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* For file systems without fallocate(). */
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
 * The length first, by ftruncate(), then the space. When the length grows by fallocate() alone, ext4
 * does not notice what a mapping then writes into the rest of the last page, if pages are larger
 * than its blocks: that never reaches the disk (seen on Linux 6.1, blocks of 1 KiB).
 */
int odb_extend_file(int fd, off_t from, off_t to)
{
	int err = 0;

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

/* Fills holes where there is no fallocate(), by writing what reads as zero. */
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
	if ((uint64_t)st->st_blocks * 512 >= (uint64_t)st->st_size)
		return 0;
	if (!fallocate(fd, 0, 0, st->st_size))
		return 0;
	return errno == EOPNOTSUPP || errno == ENOSYS ? rewrite(fd) : -errno;
}

int odb_sync_map(int fd, void *map, size_t len, int wait)
{
	/* MS_ASYNC starts nothing on Linux, so ask for the writing itself. */
	if (!wait)
		return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE) < 0 ? -errno : 0;
	return msync(map, len, MS_SYNC) < 0 ? -errno : 0;
}
