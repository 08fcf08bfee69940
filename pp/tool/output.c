// SPDX-License-Identifier: GPL-2.0-or-later
/* output.c -- writes output to a temporary file, and renames the complete file to the output
 * path. */
#include "config.h"
#include "pp/tool/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Return whether a new file may replace @path, whose status is stored in *@st. Return false for a
 * device, a symbolic link to a missing file, a file with several hard links, and another user's
 * file: these are written in place.
 */
static bool is_replaceable(const char *path, struct stat *st)
{
	if (!stat(path, st))
		return S_ISREG(st->st_mode) && st->st_nlink == 1 && st->st_uid == geteuid();
	st->st_nlink = 0;
	return errno == ENOENT && faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* Create the temporary file in the directory of output->path. @old: status of the file to be
 * replaced; .st_nlink is 0 if that file does not exist. Return a descriptor or a negative errno. */
static int create_temporary(struct pp_output *output, const struct stat *old)
{
	int fd;

	if (old->st_nlink && faccessat(AT_FDCWD, output->path, W_OK, AT_EACCESS))
		return -errno;
	if (asprintf(&output->temporary, "%s.tmp.%d", output->path, (int)getpid()) < 0) {
		output->temporary = NULL;
		return -ENOMEM;
	}
	fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd >= 0 && old->st_nlink)
		fchmod(fd, old->st_mode & 0777);
	return fd < 0 ? -errno : fd;
}

static void release(struct pp_output *output)
{
	free(output->path);
	free(output->temporary);
	*output = (struct pp_output){ 0 };
}

/* Create a temporary file that will replace @path when it is complete. Return 0 or a negative
 * errno. */
static int begin_new(struct pp_output *output, const char *path, const struct stat *old)
{
	int fd;

	output->path = old->st_nlink ? realpath(path, NULL) : strdup(path);
	if (!output->path)
		return -errno;
	fd = create_temporary(output, old);
	if (fd < 0)
		return fd;
	output->out = fdopen(fd, "w");
	if (output->out)
		return 0;
	close(fd);
	unlink(output->temporary);
	return -ENOMEM;
}

int pp_output_open(struct pp_output *output, const char *path)
{
	struct stat st;
	int err = -EACCES;

	*output = (struct pp_output){ 0 };
	if (is_replaceable(path, &st))
		err = begin_new(output, path, &st);
	if (!err)
		return 0;
	release(output);
	/* No temporary file can be created, because the directory is not writable or the temporary
	 * name is too long: write @path in place. */
	if (err != -EACCES && err != -EPERM && err != -ENAMETOOLONG)
		return err;
	output->out = fopen(path, "we");
	return output->out ? 0 : -errno;
}

int pp_output_close(struct pp_output *output, bool complete)
{
	int err = fclose(output->out) ? -errno : 0;

	if (output->temporary && complete && !err && rename(output->temporary, output->path))
		err = -errno;
	if (output->temporary && (!complete || err))
		unlink(output->temporary);
	release(output);
	return err;
}
