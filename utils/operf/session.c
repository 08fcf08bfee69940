// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session.c -- locks a session directory, renames its previous profile, and saves runs of --repeat.
 */
#include "config.h"
#include "utils/operf/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/owner.h"
#include "libop/session/client.h"
#include "utils/shared/session_files.h"

#define CURRENT "current"
/* name of the session with the previous profile during a new profile; users cannot choose this
 * name */
#define REPLACED ".replaced"
#define PREVIOUS "previous"

/* Rename the session @from to @to. Return 0, -ENOENT with an empty @error if @from does not exist,
 * or another negative errno with a message in @error. */
static int move(const char *session_dir, const char *from, const char *to, struct op_reason *error)
{
	int samples = ctl_session_open_samples(session_dir, OP_SESSION_WRITE, error);
	int err = 0;

	if (samples < 0)
		return samples;
	/* If the session's daemon was killed, correct the session's totals before renaming the
	 * session. */
	err = ctl_session_recover(samples, from);
	if (!err && renameat(samples, from, samples, to) < 0)
		err = -errno;
	close(samples);
	if (err && err != -ENOENT)
		op_fail(error, err, "cannot rename %s/samples/%s to %s: %s", session_dir, from, to,
			strerror(-err));
	return err;
}

static int delete(const char *session_dir, const char *name, struct op_reason *error)
{
	int err = ctl_session_remove(session_dir, name, error);

	if (err != -ENOENT)
		return err;
	/* ignore the error, because an earlier profile may not exist */
	*error = (struct op_reason){ "" };
	return 0;
}

/* Return 1 if the session @name has samples, 0 if it has no samples or does not exist, or a
 * negative errno with a message in @error. */
static int has_samples(const char *session_dir, const char *name, struct op_reason *error)
{
	int has = ctl_session_has_samples(session_dir, name, error);

	return has == -ENOENT ? 0 : has;
}

int operf_previous_save(const char *session_dir, struct op_reason *error)
{
	int err = has_samples(session_dir, REPLACED, error);

	/* Without samples in files, the profile may still record a number of lost samples. */
	if (err == 0)
		return delete(session_dir, REPLACED, error);
	if (err > 0)
		err = delete(session_dir, PREVIOUS, error);
	if (!err)
		err = move(session_dir, REPLACED, PREVIOUS, error);
	return err;
}

static bool is_replaced(const char *session_dir)
{
	struct op_reason unheard = { "" };
	bool is = ctl_session_has_samples(session_dir, REPLACED, &unheard) >= 0;

	return is;
}

int operf_previous_restore(const char *session_dir, struct op_reason *error)
{
	int err;

	if (!is_replaced(session_dir))
		return 0;
	/* Empty the directory of the current session, because rename(2) below can replace only an
	 * empty directory. */
	err = ctl_session_reset(session_dir, error);
	return err ? err : move(session_dir, REPLACED, CURRENT, error);
}

int operf_previous_set_aside(const char *session_dir, struct op_reason *error)
{
	int err = has_samples(session_dir, CURRENT, error);

	/* If a killed operf has left ".replaced", keep or restore that profile first. */
	if (err > 0)
		err = operf_previous_save(session_dir, error);
	else if (!err)
		err = operf_previous_restore(session_dir, error);
	if (!err)
		err = move(session_dir, CURRENT, REPLACED, error);
	return err == -ENOENT ? 0 : err;
}

static const char *name_of_run(char name[16], unsigned int number)
{
	snprintf(name, 16, "run-%02u", number);
	return name;
}

int operf_run_save(const char *session_dir, unsigned int number, struct op_reason *error)
{
	char name[16];
	int err = 0;

	for (unsigned int i = 1; number == 1 && i <= OPERF_MAX_RUNS && !err; i++)
		err = delete(session_dir, name_of_run(name, i), error);
	if (err)
		return err;
	err = move(session_dir, CURRENT, name_of_run(name, number), error);
	if (err == -ENOENT)
		return op_fail(error, err, "run %u of the command has no samples", number);
	return err;
}

#define LOCK_FILE	"operf-lock"

/* Return whether the locked file is still in the session directory. Another operf may have removed
 * it at its end, after this process opened it. */
static bool is_there(int dir_fd, int lock)
{
	struct stat ours, there;

	return fstat(lock, &ours) == 0 &&
	       fstatat(dir_fd, LOCK_FILE, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

/* Return whether the lock file belongs to this user and has only one hard link. In a sticky
 * directory, another user could have created the file, or hard-linked another file to its name. */
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
	int dir_fd = op_session_dir_open(session_dir, OP_SESSION_WRITE, error), err;

	if (dir_fd < 0)
		return dir_fd == -ENOENT ?
			       op_fail(error, dir_fd, "the directory %s for the profile was "
						      "removed: run operf again", session_dir) :
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
	dir_fd = op_session_dir_open(session_dir, OP_SESSION_WRITE, &unheard);
	if (dir_fd >= 0) {
		if (is_there(dir_fd, lock))
			unlinkat(dir_fd, LOCK_FILE, 0);
		close(dir_fd);
	}
	close(lock);
}
