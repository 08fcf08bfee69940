// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * owner.c -- the check of a file's owner and permissions.
 */
#include "config.h"
#include "libop/base/owner.h"

#include <errno.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* highest user id of a system account: SYS_UID_MAX of login.defs(5) */
#define LAST_SYSTEM_UID	999

bool op_owner_trusted(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

bool op_owner_is_service(uid_t uid)
{
	const struct passwd *user;

	if (uid == 0 || uid > LAST_SYSTEM_UID)
		return false;
	user = getpwnam(OP_SERVICE_USER);
	return user && user->pw_uid == uid;
}

bool op_reads_all_users(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (geteuid() == 0)
		return true;
	return !syscall(SYS_capget, &header, data) &&
	       data[0].effective & (1u << CAP_DAC_READ_SEARCH | 1u << CAP_DAC_OVERRIDE);
}

/*
 * Return whether users other than the owner may write to the file. On many systems each user has a
 * private group with write permission. So accept a file that its group may write to, unless the
 * file belongs to root.
 */
static bool others_write(const struct stat *st)
{
	mode_t mode = st->st_mode;

	if (S_ISDIR(mode) && mode & S_ISVTX)
		return false;
	if (mode & S_IWGRP && geteuid() == 0 && st->st_gid != 0)
		return true;
	return !!(mode & S_IWOTH);
}

int op_owner_check(int fd, const char *path, struct op_reason *error)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return op_fail(error, -EPERM, "%s: %s", path, strerror(errno));
	if (!op_owner_trusted(st.st_uid))
		return op_fail(
			error, -EPERM,
			"%s belongs to user %u, who could change files that only %s may change: "
			"change its owner to %s with chown, or choose another --session-dir",
			path, (unsigned int)st.st_uid, geteuid() ? "you" : "root",
			geteuid() ? "your user" : "root");
	if (!S_ISSOCK(st.st_mode) && others_write(&st))
		return op_fail(error, -EPERM,
			       "other users may write to %s: remove this permission with chmod "
			       "go-w, or choose another --session-dir",
			       path);
	return 0;
}
