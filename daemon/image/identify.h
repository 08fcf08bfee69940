/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identify.h -- what is on disk behind a path that the kernel told of: when it was modified, and
 * which build of it this is.
 */
#ifndef OPD_IDENTIFY_H
#define OPD_IDENTIFY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/build_id.h"
#include "libop/session/identity.h"

struct opd_identity {
	uint64_t mtime;				/* seconds */
	uint8_t build_id[OPD_BUILD_ID_MAX];
	size_t build_id_len;			/* 0: none */
	struct op_identity identity;
	int fd;			/* of the file, for reading; -1: it may not be read, or not known */
};

/*
 * Finds the regular file @path of device @dev, inode @ino: in our own root directory if the file
 * there is that inode, else in the one of process @tgid (a container), if it still runs. 0, or
 * -ENOENT when no such file can be found, which leaves *@ret untouched.
 *
 * Paths come from whoever runs programs here: no symbolic link is followed, nothing but a regular
 * file is opened, and no file of a file system that could make us wait for a user (FUSE).
 */
int opd_identify(struct opd_identity *ret, const char *path, uint64_t dev, uint64_t ino,
		 pid_t tgid);

/* Closes the descriptor of what opd_identify() filled in. */
void opd_identity_release(struct opd_identity *identity);

#endif
