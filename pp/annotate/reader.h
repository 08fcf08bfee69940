/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h -- whether another user could read a file that we have open.
 *
 * Debug data names files, and its maker may name what only we can read: with `#line 1 "/etc/shadow"` a
 * report of root's would hand it on. So a source is read as the owner of the binary could read it: by
 * the modes of the file and of every directory on the way.
 */
#ifndef PP_ANNOTATE_READER_H
#define PP_ANNOTATE_READER_H

#include <sys/types.h>

#include "pp/image/frame.h"

struct pp_reader {
	uid_t uid;	/* PP_NOBODY: only what everybody may read */
	gid_t *groups;
	int nr_groups;
};

/* -ENOMEM. */
int pp_reader_init(struct pp_reader *reader, uid_t uid);
/* Takes a zeroed struct. */
void pp_reader_release(struct pp_reader *reader);

/*
 * 0, or -EPERM: the reader could not open the file that is open as @fd. *@ret_public: everybody could.
 * @root: the directory that stands for / to the binary (an archive, a container's files), or NULL. The
 * way to it does not count; and root's files there may be anybody's in truth, so outside of it root is
 * nobody.
 */
int pp_reader_check(const struct pp_reader *reader, int fd, const char *root, int *ret_public);

#endif
