/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fd.h -- a file descriptor that copes with programs that close descriptors that they did not open.
 *
 * Such a program may then reuse the number. So each use first checks that the descriptor still
 * refers to the same file, and otherwise opens the file again.
 */
#ifndef PROBE_BASE_FD_H
#define PROBE_BASE_FD_H

#include <stdint.h>

#define FD_PATH		4096

struct fd {
	int fd;
	/* flags of open(2) for opening the file again, without O_CREAT and O_EXCL */
	int flags;
	uint64_t inode;
	uint32_t major, minor;
	char path[FD_PATH];	/* absolute path of the file */
};

/* Create the file @path, which must not exist, with mode 0600 and without following symbolic links,
 * and open it with @flags. Return 0 or a negative errno. */
int fd_create(struct fd *f, const char *path, int flags);

/* Return the descriptor, after opening the file again if the program has closed the descriptor.
 * Return a negative errno on failure. */
int fd_get(struct fd *f);

/* Close the descriptor unless the program has reused its number. */
void fd_close(struct fd *f);

#endif
