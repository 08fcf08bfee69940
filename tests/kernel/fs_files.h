/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs_files.h -- files of a mounted oprofilefs, for programs that read its buffer: what cannot be written or read ends
 * the program with the reason.
 */
#ifndef TESTS_KERNEL_FS_FILES_H
#define TESTS_KERNEL_FS_FILES_H

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FS "/dev/oprofile/"

static inline void put(const char *name, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), FS "%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "write %s to %s", text, path);
	close(fd);
}

/* Gives the number in stats/@name. */
static inline uint64_t get(const char *name)
{
	char path[256], text[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), FS "stats/%s", name);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		err(1, "read %s", path);
	close(fd);
	text[n] = 0;
	return strtoull(text, NULL, 10);
}

#endif
