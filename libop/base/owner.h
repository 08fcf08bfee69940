/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner.h -- the check of a file's owner and permissions before any write to a session.
 *
 * A user who can write to a directory can create links in it, truncate mapped files, and replace
 * the daemon's socket. So the daemon and opcontrol use only directories and files of root or of
 * their own user, to which other users may not write.
 */
#ifndef OP_BASE_OWNER_H
#define OP_BASE_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/reason.h"

/*
 * Check the file or directory that is open as @fd. Return 0; or -EPERM, with a message about @path
 * in @error, if another user owns the file or may write to it. A sticky directory is accepted even
 * if all users may write to it, because users cannot replace each other's files there.
 */
int op_owner_check(int fd, const char *path, struct op_reason *error);

/*
 * Return whether this process may read the files of all users, because it runs as root, or as a
 * service with capabilities. Such a process must not follow paths or start programs that a user
 * could choose, and must divide its resources among the users.
 */
bool op_reads_all_users(void);

/* the account under which the service runs (units/oprofile.sysusers) */
#define OP_SERVICE_USER	"oprofile"

/* Return whether @uid is the system account of the service. Reject a normal user's account with the
 * same name, because that user could then deceive root. */
bool op_owner_is_service(uid_t uid);

/* Return whether this process trusts files that belong to @uid: @uid is root or this process's
 * effective user. */
bool op_owner_trusted(uid_t uid);

#endif
