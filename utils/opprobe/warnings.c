// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * warnings.c -- what the library in a program has to tell.
 *
 * It comes by a FIFO, which takes no room on a full disk, and of which a program that outlives opprobe finds no reader.
 */
#include "config.h"
#include "utils/opprobe/warnings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/clean.h"

#define VARIABLE	"OPPROBE_TELL"
#define MOST		65536	/* bytes, which a pipe has */

static int make(struct probe_told *told, const char *dir)
{
	char *absolute = realpath(dir, NULL);
	int err = absolute ? 0 : -errno;

	if (!err && asprintf(&told->path, "%s/.told.%d", absolute, (int)getpid()) < 0) {
		told->path = NULL;
		err = -ENOMEM;
	}
	free(absolute);
	if (err)
		return err;
	/* One that was killed may have had this number. */
	if (unlink(told->path) && errno != ENOENT)
		return -errno;
	if (mkfifo(told->path, 0600))
		return -errno;
	/* With a writer of our own it has no end, and programs need not wait for a reader. */
	told->fd = open(told->path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	return told->fd < 0 || setenv(VARIABLE, told->path, 1) ? -errno : 0;
}

void probe_told_open(struct probe_told *told, const char *dir)
{
	int err;

	*told = (struct probe_told){ .fd = -1 };
	err = make(told, dir);
	if (!err)
		return;
	op_clean_printf(stderr, "opprobe: no FIFO can be made in %s (%s): what goes wrong in the command will not be told\n", dir, strerror(-err));
	probe_told_close(told);
}

/* Whether this line was there before: several processes may say the same. */
static bool is_again(const char *lines, const char *line, size_t len)
{
	for (const char *at = lines; at < line; at = strchr(at, '\n') + 1)
		if (!strncmp(at, line, len + 1))
			return true;
	return false;
}

/* The library knows errors by number. */
static void print_line(const char *line, int len)
{
	static const char word[] = ": error ";
	const char *error = memmem(line, len, word, sizeof(word) - 1);
	char *end = NULL;
	long n = error ? strtol(error + sizeof(word) - 1, &end, 10) : 0;
	int head = n > 0 ? end - line : len;

	op_clean_printf(stderr, "opprobe: %.*s", head, line);
	if (head < len || n > 0)
		op_clean_printf(stderr, " (%s)%.*s", strerror(n), len - head, line + head);
	fputc('\n', stderr);
}

static void print(const char *lines, size_t len)
{
	const char *end;

	for (const char *line = lines; line < lines + len && (end = strchr(line, '\n')); line = end + 1)
		if (!is_again(lines, line, end - line))
			print_line(line, end - line);
	if (len > MOST - 4096)
		fputs("opprobe: there may have been more to tell than there was room for\n", stderr);
}

void probe_told_close(struct probe_told *told)
{
	char *lines = told->fd >= 0 ? malloc(MOST + 1) : NULL;
	ssize_t got = lines ? read(told->fd, lines, MOST) : 0;

	if (got > 0) {
		lines[got] = '\0';
		print(lines, strlen(lines));
	}
	free(lines);
	if (told->path)
		unlink(told->path);
	if (told->fd >= 0)
		close(told->fd);
	free(told->path);
	*told = (struct probe_told){ .fd = -1 };
}
