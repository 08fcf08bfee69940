/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner.h -- whom a file belongs to: the one check before we write to what is in a session.
 *
 * Who can write to a directory can plant links in it, shorten files that are mapped, and put a
 * socket of his own in the daemon's place. So daemon and opcontrol work only in directories, and
 * write only to files, that belong to root or to their own user and that nobody else may write to.
 */
#ifndef OP_BASE_OWNER_H
#define OP_BASE_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"

/*
 * 0, or -EPERM with a sentence about @path in @why: somebody else owns what @fd is open on or may
 * write to it. A directory that everybody may write to passes when it is sticky, as nobody can replace
 * there what is another's.
 */
int op_owner_check(int fd, const char *path, struct op_reason *why);

/* Whether @uid may steer what we own, and we what is @uid's: root, and our own effective user. */
bool op_owner_trusted(uid_t uid);

#endif
