// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * warnings.c -- receives warnings that the probe sends from profiled programs.
 *
 * The warnings are sent through a FIFO, which works even on a full disk. If a program outlives
 * opprobe, the FIFO has no reader, and the probe discards its warnings.
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
#define MOST		65536	/* capacity of a pipe or FIFO, in bytes */

static int make(struct probe_warnings *warnings, const char *dir)
{
	char *absolute = realpath(dir, NULL);
	int err = absolute ? 0 : -errno;

	if (!err && asprintf(&warnings->path, "%s/.warnings.%d", absolute, (int)getpid()) < 0) {
		warnings->path = NULL;
		err = -ENOMEM;
	}
	free(absolute);
	if (err)
		return err;
	/* An opprobe with the same process id may have been killed and have left this FIFO. */
	if (unlink(warnings->path) && errno != ENOENT)
		return -errno;
	if (mkfifo(warnings->path, 0600))
		return -errno;
	/* Open the FIFO for reading and writing. open() then does not wait for a writer, and the
	 * FIFO keeps its data after a program has closed it. */
	warnings->fd = open(warnings->path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	return warnings->fd < 0 || setenv(VARIABLE, warnings->path, 1) ? -errno : 0;
}

void probe_warnings_open(struct probe_warnings *warnings, const char *dir)
{
	int err;

	*warnings = (struct probe_warnings){ .fd = -1 };
	err = make(warnings, dir);
	if (!err)
		return;
	op_clean_printf(stderr, "opprobe: cannot make a FIFO in %s: %s; warnings of the library in the command will not be printed\n", dir, strerror(-err));
	probe_warnings_close(warnings);
}

/* Return whether @lines already contains @line, because several processes may send the same
 * warning. */
static bool is_again(const char *lines, const char *line, size_t len)
{
	for (const char *at = lines; at < line; at = strchr(at, '\n') + 1)
		if (!strncmp(at, line, len + 1))
			return true;
	return false;
}

/* Print a warning. The probe sends errors as numbers (errno), so append the text of the error. */
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

	for (const char *line = lines; line < lines + len && (end = strchr(line, '\n'));
	     line = end + 1)
		if (!is_again(lines, line, end - line))
			print_line(line, end - line);
	if (len > MOST - 4096)
		fputs("opprobe: some warnings may be lost, because the FIFO for them was full\n", stderr);
}

void probe_warnings_close(struct probe_warnings *warnings)
{
	char *lines = warnings->fd >= 0 ? malloc(MOST + 1) : NULL;
	ssize_t got = lines ? read(warnings->fd, lines, MOST) : 0;

	if (got > 0) {
		lines[got] = '\0';
		print(lines, strlen(lines));
	}
	free(lines);
	if (warnings->path)
		unlink(warnings->path);
	if (warnings->fd >= 0)
		close(warnings->fd);
	free(warnings->path);
	*warnings = (struct probe_warnings){ .fd = -1 };
}

#define PATTERN	".unsafe.XXXXXX"

int probe_unsafe_open(struct raw_probe_words *words, const char *dir, struct op_reason *error)
{
	char *path = NULL;
	int fd, err;

	if (!words->nr_unsafe)
		return -1;
	if (asprintf(&path, "%s/" PATTERN, dir) < 0)
		return op_fail(error, -ENOMEM, "out of memory");
	fd = mkostemp(path, O_CLOEXEC);
	err = fd < 0 ? -errno : ftruncate(fd, RAW_PROBE_UNSAFE) ? -errno : 0;
	if (err) {
		op_fail(error, err, "%s: %s", dir, strerror(-err));
		if (fd >= 0) {
			unlink(path);
			close(fd);
		}
	} else {
		memcpy(words->unsafe_met, path + strlen(path) - strlen(PATTERN), sizeof(PATTERN));
	}
	free(path);
	return err ? err : fd;
}

void probe_unsafe_close(int fd, const struct raw_probe_words *words, const char *dir, bool reports)
{
	char met[RAW_PROBE_UNSAFE] = { 0 }, *path = NULL;

	if (fd < 0)
		return;
	if (reports && pread(fd, met, sizeof(met), 0) == sizeof(met))
		for (uint32_t i = 0; i < words->nr_unsafe; i++)
			if (!met[i])
				op_clean_printf(stderr, "opprobe: --unsafe=%s: no process loaded a "
							"function or file of that name; give a "
							"function as nm(1) prints it, from a file "
							"with its symbol table, or a file as "
							"/proc/PID/maps lists it\n", words->unsafe[i]);
	if (asprintf(&path, "%s/%s", dir, words->unsafe_met) >= 0)
		unlink(path);
	free(path);
	close(fd);
}
