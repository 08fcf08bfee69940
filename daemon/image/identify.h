/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identify.h -- what is on disk behind a path that the kernel told of: when it was modified, and
 * which build of it this is.
 *
 * Any of this may wait for as long as a user likes, who has mounted a file system of his own: the daemon has
 * it done by a process that it can do without (daemon/image/finder.h).
 */
#ifndef OPD_IDENTIFY_H
#define OPD_IDENTIFY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "daemon/image/build_id.h"
#include "libop/session/identity.h"

#define OPD_NOBODY	UINT32_MAX

enum opd_contents {
	OPD_CONTENTS_UNKNOWN,			/* the file could not be read */
	OPD_CONTENTS_ELF,
	OPD_CONTENTS_OTHER,
};

struct opd_identity {
	uint64_t mtime;				/* seconds */
	uint8_t build_id[OPD_BUILD_ID_MAX];
	size_t build_id_len;			/* 0: none */
	enum opd_contents contents;
	struct op_identity identity;
	uint64_t mount;		/* the kernel's number of the mount it is in; 0: not known */
	/*
	 * Of the file, which may be read; -1: it may not, or is not known. By O_PATH: closing any other
	 * descriptor asks the file system.
	 */
	int fd;
	uint32_t payer;		/* whose processes alone see it; OPD_NOBODY: all do. The finder's (finder.h) */
};

/*
 * Find the regular file @path of device @dev, inode @ino below the root directory of process @tgid, or below our own if
 * @tgid is 0. Return 0, or -ENOENT, which leaves *@ret untouched.
 *
 * A file that process @tgid runs or has mapped is found even if it was deleted or replaced: through /proc/TGID/exe, and
 * where the caller has CAP_CHECKPOINT_RESTORE through /proc/TGID/map_files.
 *
 * With a @tgid only the inode number is compared, because containers and some file systems (btrfs, overlayfs) report
 * another device by stat() than the kernel does.
 *
 * Any user who runs programs chooses these paths: the search follows no symbolic link, opens regular files only, and
 * reads no file of a file system that a user serves (FUSE).
 */
int opd_identify(struct opd_identity *ret, const char *path, uint64_t dev, uint64_t ino,
		 pid_t tgid);

/*
 * Open the regular file @path below the root directory of process @tgid by O_PATH, as ret->fd; nothing else is filled in.
 * No link is followed, and no file system that a user serves (FUSE) is used. Return 0, or -ENOENT, which leaves *@ret
 * untouched.
 */
int opd_open_in_root(struct opd_identity *ret, const char *path, pid_t tgid);

/* Closes the descriptor of what opd_identify() filled in. */
void opd_identity_release(struct opd_identity *identity);

/* The device and inode of the program that process @tgid runs: 0 or -ENOENT. */
int opd_identify_exe(uint64_t *dev, uint64_t *ino, pid_t tgid);

/* The number of the mount that the file is in; 0: the kernel does not tell. */
uint64_t opd_mount_of(int fd);

/* For reading, of a descriptor by O_PATH: or negative errno. */
int opd_open_found(int path_fd);

struct opd_copied {
	struct stat st;		/* of the original */
	size_t len;		/* bytes; less than asked for at its end */
	int err;		/* 0, or negative errno: the copy could not be written */
};

/* Copies up to @size bytes from @at of the regular file @path_fd, by O_PATH, to the same place of @to_fd; with @size
 * 0 only looks. 0, or negative errno: it cannot be read. */
int opd_copy_found(struct opd_copied *ret, int path_fd, int to_fd, off_t at, size_t size);

#endif
