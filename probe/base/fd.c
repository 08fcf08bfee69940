// SPDX-License-Identifier: GPL-2.0-or-later
/* fd.c -- a file descriptor that stays usable in programs that close all descriptors. */
#include "config.h"
#include "probe/base/fd.h"

#include <errno.h>

#include "probe/linux/calls.h"

static bool is_ours(const struct fd *f, int fd)
{
	struct statx st;

	return !call_fstat(fd, &st) && st.stx_ino == f->inode && st.stx_dev_major == f->major &&
	       st.stx_dev_minor == f->minor;
}

int fd_create(struct fd *f, const char *path, int flags)
{
	struct statx st;
	size_t len = __builtin_strlen(path);
	long fd;

	if (len >= FD_PATH)
		return -ENAMETOOLONG;
	fd = call_openat(AT_FDCWD, path, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fd;
	fd = call_raise_fd(fd);
	if (call_fstat(fd, &st)) {
		call_unlinkat(AT_FDCWD, path);
		call_close(fd);
		return -EIO;
	}
	f->fd = fd;
	f->flags = flags;
	f->inode = st.stx_ino;
	f->major = st.stx_dev_major;
	f->minor = st.stx_dev_minor;
	__builtin_memcpy(f->path, path, len + 1);
	return 0;
}

int fd_get(struct fd *f)
{
	int before = __atomic_load_n(&f->fd, __ATOMIC_RELAXED);
	long fd;

	if (is_ours(f, before))
		return before;
	fd = call_openat(AT_FDCWD, f->path, f->flags | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd;
	fd = call_raise_fd(fd);
	if (!is_ours(f, fd)) {
		call_close(fd);
		return -ENOENT;
	}
	/* If another thread has stored a new descriptor in the meantime, close this one. */
	if (__atomic_compare_exchange_n(&f->fd, &before, fd, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		return fd;
	call_close(fd);
	return before;
}

void fd_close(struct fd *f)
{
	if (is_ours(f, f->fd))
		call_close(f->fd);
	f->fd = -1;
}
