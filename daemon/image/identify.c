// SPDX-License-Identifier: GPL-2.0-or-later
/* identify.c -- what is on disk behind a path. */
#include "config.h"
#include "daemon/image/identify.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC	0x65735546
#endif

/* Opens @path below the directory @root, whose own links lead nowhere else. O_PATH only. */
static int open_below(int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static int open_root(pid_t tgid)
{
	char name[32];

	if (!tgid)
		return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(name, sizeof(name), "/proc/%d/root", (int)tgid);
	return open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Fails when the file may not be read: then its time of change is all that is known. */
static void read_build(struct opd_identity *ret, int path_fd)
{
	struct statfs fs;
	char name[32];
	int fd, n;

	if (fstatfs(path_fd, &fs) || fs.f_type == FUSE_SUPER_MAGIC)
		return;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", path_fd);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	n = opd_build_id_read(fd, ret->build_id);
	ret->build_id_len = n < 0 ? 0 : (size_t)n;
	ret->identity.build = n > 0 ? op_identity_of_build_id(ret->build_id, ret->build_id_len) :
				      op_identity_of_contents(fd);
	ret->fd = fd;
}

/* @tgid 0: our own root directory. */
static int identify_below(struct opd_identity *ret, pid_t tgid, const char *path, uint64_t dev,
			  uint64_t ino, bool same_dev)
{
	struct opd_identity found = { .fd = -1 };
	struct stat st;
	int root, fd;

	root = open_root(tgid);
	if (root < 0)
		return -ENOENT;
	fd = open_below(root, path);
	close(root);
	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_ino != ino ||
	    (same_dev && (uint64_t)st.st_dev != dev)) {
		close(fd);
		return -ENOENT;
	}
	found.mtime = (uint64_t)st.st_mtime;
	found.identity.owner = op_identity_of_owner(st.st_uid);
	read_build(&found, fd);
	close(fd);
	*ret = found;
	return 0;
}

int opd_identify(struct opd_identity *ret, const char *path, uint64_t dev, uint64_t ino,
		 pid_t tgid)
{
	if (path[0] != '/' || path[1] == '/' || !ino)
		return -ENOENT;
	if (identify_below(ret, 0, path, dev, ino, true) == 0)
		return 0;
	/*
	 * A container, or a file system that tells stat() another device than the kernel's own
	 * (btrfs, overlayfs). Then the process's own view and the inode number have to do.
	 */
	if (tgid > 0 && identify_below(ret, tgid, path, dev, ino, false) == 0)
		return 0;
	return -ENOENT;
}

void opd_identity_release(struct opd_identity *identity)
{
	if (identity->fd >= 0)
		close(identity->fd);
	identity->fd = -1;
}
