// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lock.c -- making, locking and removing the lock file of a session directory.
 */
#include "config.h"
#include "utils/operf/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/owner.h"
#include "utils/shared/session_files.h"

#define LOCK_FILE	"operf-lock"

/* Return whether the locked file is still the file in the directory: another operf that was ending
 * may have removed it after we opened it. */
static bool is_there(int dir_fd, int lock)
{
	struct stat ours, there;

	return fstat(lock, &ours) == 0 &&
	       fstatat(dir_fd, LOCK_FILE, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

/* Return whether the file belongs to our user and has only one name. In a sticky directory, another
 * user could have made the file, or linked another file to its name. */
static bool is_ours(int lock)
{
	struct stat st;

	return fstat(lock, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink <= 1 &&
	       op_owner_trusted(st.st_uid);
}

static int lock(int *ret, int dir_fd)
{
	for (;;) {
		int lock = openat(dir_fd, LOCK_FILE,
				  O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
				  0600);

		if (lock < 0)
			return -errno;
		if (!is_ours(lock)) {
			close(lock);
			return -EPERM;
		}
		if (flock(lock, LOCK_EX | LOCK_NB) < 0) {
			int err = errno == EWOULDBLOCK ? -EBUSY : 0;

			close(lock);
			if (!err)
				*ret = -1;
			return err;
		}
		if (is_there(dir_fd, lock)) {
			*ret = lock;
			return 0;
		}
		close(lock);
	}
}

int operf_lock(int *ret, const char *session_dir, struct op_reason *error)
{
	int dir_fd = ctl_session_open(session_dir, error), err;

	if (dir_fd < 0)
		return dir_fd == -ENOENT ?
			       op_fail(error, dir_fd, "the directory %s was removed", session_dir) :
			       dir_fd;
	err = lock(ret, dir_fd);
	close(dir_fd);
	if (err == -EBUSY)
		return op_fail(
			error, err,
			"another operf already takes a profile in %s: end it, or name another "
			"directory with --session-dir",
			session_dir);
	if (err)
		return op_fail(error, err, "cannot lock %s/" LOCK_FILE ": %s", session_dir,
			       strerror(-err));
	return 0;
}

void operf_unlock(int lock, const char *session_dir)
{
	struct op_reason unheard = { "" };
	int dir_fd;

	if (lock < 0)
		return;
	dir_fd = ctl_session_open(session_dir, &unheard);
	if (dir_fd >= 0) {
		if (is_there(dir_fd, lock))
			unlinkat(dir_fd, LOCK_FILE, 0);
		close(dir_fd);
	}
	close(lock);
}
