/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fd.h -- a descriptor in a program that knows nothing of it.
 *
 * Programs close what they have not opened, and then the number is somebody else's. So before each use it is asked
 * whether the file is still the one.
 */
#ifndef PROBE_PC_FD_H
#define PROBE_PC_FD_H

#include <stdint.h>

#define PC_PATH		4096

struct pc_fd {
	int fd;
	int flags;		/* of open(2), without those that create */
	uint64_t inode;
	uint32_t major, minor;
	char path[PC_PATH];	/* from the root */
};

/* Creates @path for us alone (O_EXCL, mode 0600, through no link), to be used with @flags. 0 or negative errno. */
int pc_fd_create(struct pc_fd *f, const char *path, int flags);

/* The descriptor, if it is still the file's; else the file is opened once more. Negative errno. */
int pc_fd_get(struct pc_fd *f);

/* Closes it, unless it is somebody else's. */
void pc_fd_close(struct pc_fd *f);

#endif
