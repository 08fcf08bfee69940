// SPDX-License-Identifier: GPL-2.0-or-later
/* oprofilefs_file.c -- reading and writing of numbers and text in the files of the kernel module
 * (oprofilefs). */
#include "config.h"
#include "daemon/source/oprofilefs_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/fs.h"

int opd_oprofilefs_write_text(int dir_fd, const char *name, const char *text)
{
	ssize_t len = strlen(text);
	int err = 0, fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	errno = 0;
	if (write(fd, text, len) != len)
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

int opd_oprofilefs_write(int dir_fd, const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 "\n", value);
	return opd_oprofilefs_write_text(dir_fd, name, text);
}

int opd_oprofilefs_read_lines(int dir_fd, const char *name, char *text, size_t size)
{
	int err, fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	size_t len;

	if (fd < 0)
		return -errno;
	err = op_read_all(fd, text, size - 1, &len);
	close(fd);
	if (err)
		return err;
	text[len] = '\0';
	return 0;
}

int opd_oprofilefs_read_text(int dir_fd, const char *name, char *text, size_t size)
{
	int err = opd_oprofilefs_read_lines(dir_fd, name, text, size);

	if (!err)
		text[strcspn(text, "\n")] = '\0';
	return err;
}

int opd_oprofilefs_read(int dir_fd, const char *name, uint64_t *ret)
{
	char text[64], *end;
	uint64_t value;
	int err = opd_oprofilefs_read_text(dir_fd, name, text, sizeof(text));

	if (err)
		return err;
	value = strtoull(text, &end, 10);
	if (end == text)
		return -EIO;
	*ret = value;
	return 0;
}
