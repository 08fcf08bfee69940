/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identify.h -- identification of files: finds the file of a path that the kernel reported, its
 * time of modification and its build-id.
 *
 * A user who has mounted a file system can make each of these functions block for any time. So the
 * daemon calls them in a process that it can abandon (daemon/image/finder.h).
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
	/* the file's contents are unknown, because it could not be read */
	OPD_CONTENTS_UNKNOWN,
	OPD_CONTENTS_ELF,
	OPD_CONTENTS_OTHER,
};

struct opd_identity {
	uint64_t mtime;				/* time of modification, in seconds */
	uint8_t build_id[OPD_BUILD_ID_MAX];
	size_t build_id_len;			/* length of the build-id; 0: the file has none */
	enum opd_contents contents;
	struct op_identity identity;
	/* the kernel's number of the mount that contains the file; 0: not known */
	uint64_t mount;
	/*
	 * O_PATH descriptor of the file if this process may read the file, otherwise -1. Only
	 * O_PATH descriptors are used, because closing any other descriptor sends a request to the
	 * file system.
	 */
	int fd;
	/* the user who can change which file the path means: the only user whose processes see the
	 * file; OPD_NOBODY: all processes see the file. The finder sets this member (finder.h). */
	uint32_t payer;
};

/*
 * Find the regular file @path with the device @dev and inode @ino below the root directory of
 * process @tgid, or below the daemon's own root directory if @tgid is 0. Return 0, or -ENOENT,
 * which leaves *@ret unchanged.
 *
 * A file that process @tgid runs or has mapped is found even if it was deleted or replaced: through
 * /proc/TGID/exe, and where the caller has CAP_CHECKPOINT_RESTORE through /proc/TGID/map_files.
 *
 * If @tgid is not 0, only the inode number is compared, because in containers and on some file
 * systems (btrfs, overlayfs) stat() reports another device than the kernel.
 *
 * Any user who runs programs chooses these paths: the search follows no symbolic link, opens
 * regular files only, and reads no file of a file system that a user's process serves (FUSE).
 */
int opd_identify(struct opd_identity *ret, const char *path, uint64_t dev, uint64_t ino,
		 pid_t tgid);

/*
 * Open the regular file @path below the root directory of process @tgid by O_PATH, as ret->fd; set
 * no other data of *@ret. The search follows no symbolic link, and uses no file system that a
 * user's process serves (FUSE). Return 0, or -ENOENT, which leaves *@ret unchanged.
 */
int opd_open_in_root(struct opd_identity *ret, const char *path, pid_t tgid);

/* Close the descriptor that opd_identify() opened. */
void opd_identity_release(struct opd_identity *identity);

/* Set *@dev and *@ino to the device and inode of the program that process @tgid runs. Return 0 or
 * -ENOENT. */
int opd_identify_exe(uint64_t *dev, uint64_t *ino, pid_t tgid);

/* Return the number of the mount that contains the file; 0 if the kernel does not report it. */
uint64_t opd_mount_of(int fd);

/* Open the file of an O_PATH descriptor for reading. Return a descriptor or a negative errno. */
int opd_open_found(int path_fd);

/* Open the file of an O_PATH descriptor for reads with RWF_NOWAIT. Return a descriptor; -EOPNOTSUPP
 * if the file system cannot promise that such reads do not wait; or another negative errno. */
int opd_open_in_memory(int path_fd);

struct opd_copied {
	struct stat st;		/* fstat() of the file that was copied */
	/* number of copied bytes; less than requested at the end of the file */
	size_t len;
	int err;		/* 0, or the negative errno of a failure to write the copy */
};

/*
 * Copy up to @size bytes at the offset @at of the regular file @path_fd, an O_PATH descriptor, to
 * the same offset of the file @to_fd; if @size is 0, only get the status of @path_fd. Return 0, or
 * a negative errno if the file cannot be read.
 */
int opd_copy_found(struct opd_copied *ret, int path_fd, int to_fd, off_t at, size_t size);

#endif
