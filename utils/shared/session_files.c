// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_files.c -- resets, saves and deletes sessions that no daemon uses.
 */
#include "config.h"
#include "utils/shared/session_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/dir.h"
#include "libop/session/client.h"
#include "libop/session/paths.h"
#include "libop/session/recover.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int has_samples(int samples, const char *name)
{
	int session = openat(samples, name, OPEN_DIR);
	int has;

	if (session < 0)
		return -errno;
	has = op_session_has_samples(session);
	close(session);
	return has;
}

int ctl_session_open_samples(const char *session_dir, enum op_session_use use,
			     struct op_reason *error)
{
	int dir_fd = op_session_dir_open(session_dir, use, error), fd, err;

	if (dir_fd < 0)
		return dir_fd;
	fd = openat(dir_fd, "samples", OPEN_DIR);
	err = fd < 0 ? -errno : fd;
	close(dir_fd);
	if (err < 0 && err != -ENOENT)
		op_fail(error, err, "cannot open %s/samples: %s", session_dir, strerror(-err));
	return err;
}

int ctl_session_has_samples(const char *session_dir, const char *name, struct op_reason *error)
{
	int samples = ctl_session_open_samples(session_dir, OP_SESSION_READ, error);
	int has;

	if (samples < 0)
		return samples;
	has = has_samples(samples, name);
	close(samples);
	if (has < 0 && has != -ENOENT)
		op_fail(error, has, "cannot read %s/samples/%s: %s", session_dir, name, strerror(-has));
	return has;
}

int ctl_session_reset(const char *session_dir, struct op_reason *error)
{
	int samples, current, err;

	samples = ctl_session_open_samples(session_dir, OP_SESSION_WRITE, error);
	if (samples < 0)
		return samples == -ENOENT ? 0 : samples;
	current = openat(samples, "current", OPEN_DIR);
	if (current < 0)
		err = errno == ENOENT ? 0 : -errno;
	else
		err = op_empty_dir(current);
	if (current >= 0)
		close(current);
	close(samples);
	if (!err)
		return 0;
	return op_fail(error, err, "cannot remove the samples in %s/samples/current: %s",
		       session_dir, strerror(-err));
}

int ctl_session_check_name(const char *name, struct op_reason *error)
{
	if (!op_session_name_ok(name))
		return op_fail(error, -EINVAL,
			       "cannot save the session as \"%s\" (" OP_SESSION_NAME_RULE ")",
			       name);
	return 0;
}

int ctl_session_recover(int samples, const char *name)
{
	struct op_session_recovered recovered;
	int session = openat(samples, name, OPEN_DIR), err;

	if (session < 0)
		return -errno;
	err = op_session_recover(session, false, &recovered);
	close(session);
	return err < 0 ? err : 0;
}

int ctl_session_save(const char *session_dir, const char *name, struct op_reason *error)
{
	char option[OP_SESSION_OPTION_SIZE];
	int samples, err;

	err = ctl_session_check_name(name, error);
	if (err)
		return err;
	samples = ctl_session_open_samples(session_dir, OP_SESSION_WRITE, error);
	if (samples < 0 && samples != -ENOENT)
		return samples;
	if (samples >= 0) {
		err = has_samples(samples, "current");
		err = err > 0 ? ctl_session_recover(samples, "current") : err ? err : -ENODATA;
		if (!err && renameat2(samples, "current", samples, name, RENAME_NOREPLACE) < 0)
			err = -errno;
		close(samples);
	} else {
		err = samples;
	}
	if (err == -EEXIST)
		return op_fail(error, err,
			       "cannot save the session as %s: a session of this name already exists in "
			       "%s/samples; choose another name",
			       name, session_dir);
	if (err == -ENOENT || err == -ENODATA)
		return op_fail(error, err,
			       "cannot save the session: %s/samples/current has no samples; take "
			       "some with opcontrol%s --start",
			       session_dir, op_session_option(option, session_dir));
	if (err == -EBUSY)
		return op_fail(error, err, "cannot save %s/samples/current as %s: another process "
					   "writes it; end a daemon with opcontrol%s --shutdown", session_dir, name,
			       op_session_option(option, session_dir));
	if (err)
		return op_fail(error, err, "cannot save %s/samples/current as %s: %s",
			       session_dir, name, strerror(-err));
	return 0;
}

int ctl_session_delete(const char *session_dir, const char *name, struct op_reason *error)
{
	if (!op_session_name_ok(name))
		return op_fail(error, -EINVAL, "\"%s\" is not the name of a session (" OP_SESSION_NAME_RULE
			       ")", name);
	return ctl_session_remove(session_dir, name, error);
}

int ctl_session_remove(const char *session_dir, const char *name, struct op_reason *error)
{
	char doomed[64], option[OP_SESSION_OPTION_SIZE];
	int samples, session, err = 0;

	samples = ctl_session_open_samples(session_dir, OP_SESSION_WRITE, error);
	if (samples < 0 && samples != -ENOENT)
		return samples;
	/*
	 * Rename the session first, so that a partially deleted session is not listed. A daemon
	 * completes an interrupted deletion.
	 */
	snprintf(doomed, sizeof(doomed), OP_DELETED_PREFIX "%d", (int)getpid());
	if (samples < 0 || renameat2(samples, name, samples, doomed, RENAME_NOREPLACE) < 0) {
		err = samples < 0 ? -ENOENT : -errno;
		goto close_samples;
	}
	session = openat(samples, doomed, OPEN_DIR);
	err = session < 0 ? -errno : op_empty_dir(session);
	if (session >= 0)
		close(session);
	if (!err && unlinkat(samples, doomed, AT_REMOVEDIR) < 0)
		err = -errno;
close_samples:
	if (samples >= 0)
		close(samples);
	if (err == -ENOENT)
		return op_fail(error, err, "unknown session %s in %s: run opcontrol%s "
					   "--list-sessions for a list", name, session_dir,
			       op_session_option(option, session_dir));
	if (err)
		return op_fail(error, err, "cannot remove %s/samples/%s: %s", session_dir, name,
			       strerror(-err));
	return 0;
}
