// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * owner.c -- whom a file belongs to.
 */
#include "config.h"
#include "libop/base/owner.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool op_owner_trusted(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

/* Users' own groups are common, so that their umask lets the group write; root's work is root's alone. */
static bool others_write(const struct stat *st)
{
	mode_t mode = st->st_mode;

	if (S_ISDIR(mode) && mode & S_ISVTX)
		return false;
	if (mode & S_IWGRP && geteuid() == 0 && st->st_gid != 0)
		return true;
	return !!(mode & S_IWOTH);
}

int op_owner_check(int fd, const char *path, struct op_reason *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return op_fail(why, -EPERM, "%s: %s", path, strerror(errno));
	if (!op_owner_trusted(st.st_uid))
		return op_fail(why, -EPERM, "%s belongs to user %u, who could change there what only %s may: "
			       "give it to %s (chown), or take another --session-dir", path,
			       (unsigned int)st.st_uid, geteuid() ? "you" : "root",
			       geteuid() ? "your user" : "root");
	if (!S_ISSOCK(st.st_mode) && others_write(&st))
		return op_fail(why, -EPERM, "others may write to %s: take that away (chmod go-w), or take "
			       "another --session-dir", path);
	return 0;
}
