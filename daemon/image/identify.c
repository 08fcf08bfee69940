// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * identify.c -- identification of a file: finds the file at a path, and reads its modification time
 * and build-id.
 */
#include "config.h"
#include "daemon/image/identify.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "daemon/image/image.h"
#include "daemon/image/open_below.h"
#include "daemon/image/proc_maps.h"

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC	0x65735546
#endif

static int open_root(pid_t tgid)
{
	char name[32];

	if (!tgid)
		return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(name, sizeof(name), "/proc/%d/root", (int)tgid);
	return open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int opd_open_found(int path_fd)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", path_fd);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int opd_open_in_memory(int path_fd)
{
	char byte;
	struct iovec to = {&byte, 1};
	int fd = opd_open_found(path_fd), err;

	if (fd < 0 || preadv2(fd, &to, 1, 0, RWF_NOWAIT) >= 0 || errno == EAGAIN)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int opd_copy_found(struct opd_copied *ret, int path_fd, int to_fd, off_t at, size_t size)
{
	struct opd_copied copied = { 0 };
	char buf[16384];
	ssize_t n = 1;
	int fd = opd_open_found(path_fd);

	if (fd < 0)
		return fd;
	if (fstat(fd, &copied.st) || !S_ISREG(copied.st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	while (copied.len < size && n > 0 && !copied.err) {
		size_t left = size - copied.len;
		off_t place = at + (off_t)copied.len;

		n = pread(fd, buf, left < sizeof(buf) ? left : sizeof(buf), place);
		for (ssize_t done = 0, put; done < n && !copied.err; done += put) {
			put = pwrite(to_fd, buf + done, (size_t)(n - done), place + done);
			if (put <= 0)
				copied.err = put ? -errno : -EIO;
		}
		copied.len += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	*ret = copied;
	return 0;
}

static enum opd_contents contents_of(int fd)
{
	char magic[SELFMAG];
	ssize_t n = pread(fd, magic, sizeof(magic), 0);

	if (n < 0)
		return OPD_CONTENTS_UNKNOWN;
	return n == (ssize_t)sizeof(magic) && !memcmp(magic, ELFMAG, sizeof(magic))
		       ? OPD_CONTENTS_ELF
		       : OPD_CONTENTS_OTHER;
}

/* Store the build-id of the file in *@ret, and whether the file is an ELF file. Return false if
 * this process may not read the file; then only the file's modification time is known. */
static bool read_build(struct opd_identity *ret, int path_fd)
{
	struct statfs fs;
	int fd, n;

	if (fstatfs(path_fd, &fs) || fs.f_type == FUSE_SUPER_MAGIC)
		return false;
	fd = opd_open_found(path_fd);
	if (fd < 0)
		return false;
	n = opd_build_id_read(fd, ret->build_id);
	ret->contents = contents_of(fd);
	ret->build_id_len = n < 0 ? 0 : (size_t)n;
	ret->identity.build = n > 0 ? op_identity_of_build_id(ret->build_id, ret->build_id_len) :
				      op_identity_of_contents(fd);
	close(fd);
	return true;
}

struct wanted_map {
	uint64_t dev, ino, start, end;
};

static int match_map(void *arg, const struct opd_proc_map *m)
{
	struct wanted_map *wanted = arg;

	if (m->ino != wanted->ino || m->dev != wanted->dev)
		return 0;
	wanted->start = m->start;
	wanted->end = m->end;
	return -EEXIST;		/* any value except 0 stops the iteration */
}

/* Open, with O_PATH, the file that process @tgid has mapped, through /proc/TGID/map_files. Return
 * a descriptor, or -1, for example without CAP_CHECKPOINT_RESTORE. */
static int open_mapping(pid_t tgid, uint64_t dev, uint64_t ino)
{
	struct wanted_map wanted = { .dev = dev, .ino = ino };
	char name[80];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)tgid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || opd_proc_maps_read(fd, match_map, &wanted) != -EEXIST)
		return -1;
	snprintf(name, sizeof(name), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)tgid,
		 wanted.start, wanted.end);
	return open(name, O_PATH | O_CLOEXEC);
}

static bool is_file(int fd, uint64_t dev, uint64_t ino, pid_t tgid, struct stat *st)
{
	return !fstat(fd, st) && S_ISREG(st->st_mode) && (uint64_t)st->st_ino == ino &&
	       (tgid || (uint64_t)st->st_dev == dev);
}

/* Open, with O_PATH, a file that process @tgid executes or has mapped, but that has no path: the
 * file was deleted or replaced, or is a memfd. Return a descriptor or -1. */
static int open_running(pid_t tgid, uint64_t dev, uint64_t ino, struct stat *st)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)tgid);
	fd = open(name, O_PATH | O_CLOEXEC);
	if (fd >= 0 && is_file(fd, dev, ino, tgid, st))
		return fd;
	if (fd >= 0)
		close(fd);
	fd = open_mapping(tgid, dev, ino);
	if (fd >= 0 && is_file(fd, dev, ino, tgid, st))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Return the mount id of the root directory, to use for a memfd: the memfd's own mount is internal
 * to the kernel and never unmounted. */
static uint64_t root_mount(void)
{
	const int root = open_root(0);
	const uint64_t mount = root < 0 ? 0 : opd_mount_of(root);

	if (root >= 0)
		close(root);
	return mount;
}

int opd_identify(struct opd_identity *ret, const char *path, uint64_t dev, uint64_t ino,
		 pid_t tgid)
{
	struct opd_identity found = { .fd = -1, .payer = OPD_NO_PAYER };
	struct stat st;
	int root, fd;

	if (path[0] != '/' || path[1] == '/' || !ino)
		return -ENOENT;
	root = open_root(tgid);
	if (root < 0)
		return -ENOENT;
	fd = opd_open_below(root, path, false);
	close(root);
	if (fd >= 0 && !is_file(fd, dev, ino, tgid, &st)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0 && tgid)
		fd = open_running(tgid, dev, ino, &st);
	if (fd < 0)
		return -ENOENT;
	found.mtime = (uint64_t)st.st_mtime;
	found.identity.owner = op_identity_of_owner(st.st_uid);
	if (read_build(&found, fd)) {
		found.mount = opd_is_memfd(path) ? root_mount() : opd_mount_of(fd);
		found.fd = fd;
	} else {
		close(fd);
	}
	*ret = found;
	return 0;
}

int opd_open_in_root(struct opd_identity *ret, const char *path, pid_t tgid)
{
	int root = open_root(tgid), fd = root < 0 ? -1 : opd_open_below(root, path, false);
	struct statfs fs;
	struct stat st;

	if (root >= 0)
		close(root);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && !fstatfs(fd, &fs) &&
	    fs.f_type != FUSE_SUPER_MAGIC) {
		*ret = (struct opd_identity){ .fd = fd, .payer = OPD_NO_PAYER };
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

int opd_identify_exe(uint64_t *dev, uint64_t *ino, pid_t tgid)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)tgid);
	if (stat(name, &st))
		return -ENOENT;
	*dev = st.st_dev;
	*ino = st.st_ino;
	return 0;
}

/* Read the link /proc/PROCESS/NAME. Return its length, or -1. */
static ssize_t read_link(char *to, size_t size, const char *process, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/%s", process, name);
	return readlink(path, to, size);
}

bool opd_is_apart(pid_t tgid)
{
	char process[16], own[64], other[64];
	ssize_t len;

	snprintf(process, sizeof(process), "%d", (int)tgid);
	len = read_link(other, sizeof(other), process, "ns/mnt");
	if (len < 0)
		return false;
	if (len != read_link(own, sizeof(own), "self", "ns/mnt") || memcmp(own, other, (size_t)len))
		return true;
	/* The kernel shows the root directory of the process as a path below the reader's own. */
	len = read_link(other, sizeof(other), process, "root");
	return len > 0 && (len != 1 || other[0] != '/');
}

void opd_identity_release(struct opd_identity *identity)
{
	if (identity->fd >= 0)
		close(identity->fd);
	identity->fd = -1;
}
