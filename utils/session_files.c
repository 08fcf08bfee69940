// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_files.c -- resets and saves a session that no daemon is writing to.
 */
#include "config.h"
#include "utils/session_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Negative errno, or a descriptor of DIR/samples. */
static int open_samples(const char *session_dir)
{
	int dir_fd, fd, err;

	dir_fd = open(session_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -errno;
	fd = openat(dir_fd, "samples", OPEN_DIR);
	err = fd < 0 ? -errno : fd;
	close(dir_fd);
	return err;
}

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Removes all below @dir_fd, which it takes over. Goes on after an error, tells the first. */
static int empty_dir(int dir_fd)
{
	DIR *dir = fdopendir(dir_fd);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = -errno;
		close(dir_fd);
		return err;
	}
	while ((entry = readdir(dir))) {
		int one = 0, fd;

		if (is_dot(entry->d_name) || unlinkat(dir_fd, entry->d_name, 0) == 0)
			continue;
		if (errno != EISDIR && errno != EPERM) {
			one = -errno;
		} else {
			fd = openat(dir_fd, entry->d_name, OPEN_DIR);
			one = fd < 0 ? -errno : empty_dir(fd);
			if (unlinkat(dir_fd, entry->d_name, AT_REMOVEDIR) < 0 && !one)
				one = -errno;
		}
		if (one && one != -ENOENT && !err)
			err = one;
	}
	closedir(dir);
	return err;
}

int ctl_session_reset(const char *session_dir, struct ctl_error *error)
{
	int samples, current, err;

	samples = open_samples(session_dir);
	if (samples == -ENOENT)
		return 0;
	if (samples < 0) {
		err = samples;
		goto fail;
	}
	current = openat(samples, "current", OPEN_DIR);
	if (current < 0)
		err = errno == ENOENT ? 0 : -errno;
	else
		err = empty_dir(current);
	close(samples);
	if (!err)
		return 0;
fail:
	return ctl_fail(error, err, "Cannot remove the samples in %s/samples/current: %s.",
			session_dir, strerror(-err));
}

int ctl_session_check_name(const char *name, struct ctl_error *error)
{
	if (!*name || *name == '.' || strpbrk(name, "/\n") || !strcmp(name, "current") ||
	    !strcmp(name, "oprofiled.log"))
		return ctl_fail(error, -EINVAL,
				"A session cannot be saved as \"%s\": give one plain name, "
				"without a slash or a dot in front.",
				name);
	return 0;
}

int ctl_session_save(const char *session_dir, const char *name, struct ctl_error *error)
{
	int samples, err;

	err = ctl_session_check_name(name, error);
	if (err)
		return err;
	samples = open_samples(session_dir);
	if (samples >= 0) {
		if (renameat2(samples, "current", samples, name, RENAME_NOREPLACE) < 0)
			err = -errno;
		close(samples);
	} else {
		err = samples;
	}
	if (err == -EEXIST)
		return ctl_fail(error, err,
				"A session named \"%s\" already exists in %s/samples: choose "
				"another name.",
				name, session_dir);
	if (err == -ENOENT)
		return ctl_fail(error, err, "There is no current session in %s/samples to save.",
				session_dir);
	if (err)
		return ctl_fail(error, err, "Cannot save %s/samples/current as %s: %s.",
				session_dir, name, strerror(-err));
	return 0;
}
