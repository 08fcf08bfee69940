/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fd.h -- a file descriptor that stays usable in programs that close all descriptors.
 *
 * Such a program may close the probe's descriptor and reuse its number. So fd_get() first checks
 * that the descriptor still refers to the probe's file, and otherwise reopens the file.
 */
#ifndef PROBE_BASE_FD_H
#define PROBE_BASE_FD_H

#include <stdint.h>

#define FD_PATH		4096

struct fd {
	int fd;
	/* flags with which fd_get() reopens the file, without O_CREAT and O_EXCL */
	int flags;
	uint64_t inode;
	uint32_t major, minor;
	char path[FD_PATH];	/* absolute path of the file */
};

/* Create the file @path with mode 0600 and open it with @flags. Fail if the file exists; do not
 * follow symbolic links. Return 0 or a negative errno. */
int fd_create(struct fd *f, const char *path, int flags);

/* Return the descriptor. If the program has closed the descriptor, reopen the file first. Return a
 * negative errno on failure. */
int fd_get(struct fd *f);

/* Close the descriptor unless the program has reused its number. */
void fd_close(struct fd *f);

#endif
