/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fd.h -- a file descriptor that copes with programs that close descriptors that they did not open.
 *
 * Such a program may then reuse the number. So each use first checks that the descriptor still
 * refers to the same file, and otherwise opens the file again.
 */
#ifndef PROBE_PC_FD_H
#define PROBE_PC_FD_H

#include <stdint.h>

#define PC_PATH		4096

struct pc_fd {
	int fd;
	/* flags of open(2) for opening the file again, without O_CREAT and O_EXCL */
	int flags;
	uint64_t inode;
	uint32_t major, minor;
	char path[PC_PATH];	/* absolute path of the file */
};

/* Create the file @path, which must not exist, with mode 0600 and without following symbolic links,
 * and open it with @flags. Return 0 or a negative errno. */
int pc_fd_create(struct pc_fd *f, const char *path, int flags);

/* Return the descriptor, after opening the file again if the program has closed the descriptor.
 * Return a negative errno on failure. */
int pc_fd_get(struct pc_fd *f);

/* Close the descriptor unless the program has reused its number. */
void pc_fd_close(struct pc_fd *f);

#endif
