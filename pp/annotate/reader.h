/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h -- checks whether another user could read an open file.
 *
 * The author of debug data may name a source file that only the user of the report can read. With
 * `#line 1 "/etc/shadow"`, a report made by root would disclose that file. So a source file is
 * shown only if the owner of the binary could read it, by the modes of the file and of each
 * directory on its path.
 */
#ifndef PP_ANNOTATE_READER_H
#define PP_ANNOTATE_READER_H

#include <stdbool.h>
#include <sys/types.h>

#include "pp/image/frame.h"

struct pp_reader {
	/* user id of the user whose access is checked; PP_NO_OWNER: check access of all users */
	uid_t uid;
	gid_t *groups;
	int nr_groups;
};

/* Initialize a check of the files that the user @uid may read. Return 0 or -ENOMEM. */
int pp_reader_init(struct pp_reader *reader, uid_t uid);
/* Free the contents of @reader, which may be zeroed. */
void pp_reader_release(struct pp_reader *reader);

/*
 * Return 0 if the user could open the file that is open as @fd, else -EPERM. Set *@ret_public to
 * whether all users could open it. @root: directory that replaces / for the binary (an archive, a
 * container's files), or NULL. Do not check the directories above @root. If the user is root and
 * the file is outside @root, check for the user nobody instead: any user may have put files of root
 * below @root, and their debug data must not disclose root's other files.
 */
int pp_reader_check(const struct pp_reader *reader, int fd, const char *root, bool *ret_public);

#endif
