/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identify.h -- identification of a file: find the file at a path that the kernel reported, its
 * modification time and its build-id.
 *
 * A user who has mounted a file system can block each of these functions for any time. So the
 * daemon calls them in a process that it can abandon (daemon/image/finder.h).
 */
#ifndef OPD_IDENTIFY_H
#define OPD_IDENTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "daemon/image/build_id.h"
#include "libop/session/identity.h"

#define OPD_NO_PAYER	UINT32_MAX

enum opd_contents {
	/* contents unknown: the file could not be read */
	OPD_CONTENTS_UNKNOWN,
	OPD_CONTENTS_ELF,
	OPD_CONTENTS_OTHER,
};

struct opd_identity {
	uint64_t mtime;				/* modification time in seconds */
	uint8_t build_id[OPD_BUILD_ID_MAX];
	size_t build_id_len;			/* length of the build-id; 0: no build-id */
	enum opd_contents contents;
	struct op_identity identity;
	/* kernel's id of the mount that contains the file; 0: unknown */
	uint64_t mount;
	/* O_PATH descriptor of the file, or -1 if this process may not read the file. Closing any
	 * other kind of descriptor would send a request to the file system, which could block. */
	int fd;
	/* user who controls which file the path names, because only this user's processes see the
	 * file; OPD_NO_PAYER: all processes see the same file. Set by the finder (finder.h). */
	uint32_t payer;
};

/*
 * Find the regular file @path with device @dev and inode @ino below the root directory of process
 * @tgid, or below the daemon's root directory if @tgid is 0. Return 0, or -ENOENT and leave *@ret
 * unchanged.
 *
 * If process @tgid executes the file or has mapped it, the file is found even if it was deleted or
 * replaced: through /proc/TGID/exe and, with CAP_CHECKPOINT_RESTORE, through /proc/TGID/map_files.
 *
 * If @tgid is not 0, the device is not compared: in containers and on some file systems (btrfs,
 * overlayfs), stat() reports another device than the kernel.
 *
 * Any user who runs programs chooses these paths. So the search follows no symbolic link, opens
 * only regular files, and reads no file of a file system that a user's process serves (FUSE).
 */
int opd_identify(struct opd_identity *ret, const char *path, uint64_t dev, uint64_t ino,
		 pid_t tgid);

/*
 * Open the regular file @path below the root directory of process @tgid with O_PATH, and store
 * only the descriptor, in ret->fd. The search follows no symbolic link and opens no file of a file
 * system that a user's process serves (FUSE). Return 0, or -ENOENT and leave *@ret unchanged.
 */
int opd_open_in_root(struct opd_identity *ret, const char *path, pid_t tgid);

/* Close the descriptor that opd_identify() opened. */
void opd_identity_release(struct opd_identity *identity);

/* Set *@dev and *@ino to the device and inode of the program that process @tgid executes. Return 0
 * or -ENOENT. */
int opd_identify_exe(uint64_t *dev, uint64_t *ino, pid_t tgid);

/* Return true if process @tgid has another mount namespace or root directory than the daemon; false
 * also if the process has ended. Accesses no user's file system. */
bool opd_is_apart(pid_t tgid);

/* Open the file of the O_PATH descriptor @path_fd for reading. Return a descriptor or a negative
 * errno. */
int opd_open_found(int path_fd);

/* Open the file of the O_PATH descriptor @path_fd for reads with RWF_NOWAIT. Return a descriptor;
 * -EOPNOTSUPP if such reads may block on this file system; or another negative errno. */
int opd_open_in_memory(int path_fd);

struct opd_copied {
	struct stat st;		/* status of the original file */
	/* number of copied bytes; less than requested if the file ends */
	size_t len;
	int err;		/* 0, or the negative errno of a failed write to the copy */
};

/*
 * Copy up to @size bytes at offset @at of the regular file @path_fd, an O_PATH descriptor, to the
 * same offset of the file @to_fd. If @size is 0, only store the status of @path_fd in *@ret. Return
 * 0, or a negative errno if the file cannot be read.
 */
int opd_copy_found(struct opd_copied *ret, int path_fd, int to_fd, off_t at, size_t size);

#endif
