/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fd.h -- a descriptor that survives a program's close() of descriptors that are not its own.
 *
 * Programs close descriptors that they have not opened, and then reuse the number. So each use
 * first checks that the descriptor is still of the same file.
 */
#ifndef PROBE_PC_FD_H
#define PROBE_PC_FD_H

#include <stdint.h>

#define PC_PATH		4096

struct pc_fd {
	int fd;
	int flags;		/* of open(2), without those for creation */
	uint64_t inode;
	uint32_t major, minor;
	char path[PC_PATH];	/* absolute */
};

/* Create @path for this user only (O_EXCL, mode 0600, without following links), and open it with
 * @flags. Return 0 or a negative errno. */
int pc_fd_create(struct pc_fd *f, const char *path, int flags);

/* Return the descriptor if it is still of the file; else open the file again. Return a negative
 * errno on failure. */
int pc_fd_get(struct pc_fd *f);

/* Close the descriptor unless the program has reused its number. */
void pc_fd_close(struct pc_fd *f);

#endif
