// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settings_file.c -- parser of files that contain settings: oprofile.conf and daemonrc.
 */
#include "config.h"
#include "libop/settings_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES	(1 << 20)

/* Decode a value in place. If the value is in double quotes, remove them and the backslashes.
 * Return false if the value is malformed. */
static bool unquote(char *s)
{
	char *to = s, *from = s;

	if (*from != '"')
		return !strpbrk(from, "\"\\");
	for (from++; *from && *from != '"'; from++) {
		if (*from == '\\') {
			from++;
			if (!*from)
				return false;
			*to++ = *from == 'n' ? '\n' : *from;
		} else {
			*to++ = *from;
		}
	}
	if (*from != '"' || from[1])
		return false;
	*to = '\0';
	return true;
}

static int read_line(char *line, unsigned int nr, op_settings_line_fn fn, void *arg)
{
	char *value, *name, *whole;
	int err;

	line[strcspn(line, "\n")] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	value = strchr(line, '=');
	if (!value || value == line)
		return fn(arg, nr, line, NULL);
	name = strndup(line, (size_t)(value - line));
	whole = strdup(line);
	if (!name || !whole)
		err = -ENOMEM;
	else
		err = unquote(value + 1) ? fn(arg, nr, name, value + 1) : fn(arg, nr, whole, NULL);
	free(whole);
	free(name);
	return err;
}

/* Open the file @path. If it is a FIFO, do not wait for a writer. Return a stream, or NULL with
 * errno. */
static FILE *open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), err = 0;
	struct stat st;
	FILE *f = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st))
		err = errno;
	else if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		err = EINVAL;
	else if (st.st_size > MAX_BYTES)
		err = EFBIG;
	else
		f = fdopen(fd, "r");
	if (f)
		return f;
	if (!err)
		err = errno;
	close(fd);
	errno = err;
	return NULL;
}

int op_settings_file_read(const char *path, op_settings_line_fn fn, void *arg)
{
	FILE *f = open_file(path);
	unsigned int nr = 0;
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	if (!f)
		return -errno;
	while (!err && getline(&line, &size, f) >= 0)
		err = read_line(line, ++nr, fn, arg);
	if (!err && ferror(f))
		err = -EIO;
	free(line);
	fclose(f);
	return err;
}

const struct op_setting *op_setting_by_variable(const char *name, unsigned int programs)
{
	const struct op_setting *row;

	op_for_each_setting(row, programs) {
		if (row->variable && !strcmp(row->variable, name))
			return row;
	}
	return NULL;
}

bool op_settings_variable_known(const char *name)
{
	/* names of variables that the original opcontrol has written, and that have no effect
	 * now */
	static const char *const old[] = { "NR_CHOSEN", "ONE_ENABLED", "NOTE_SIZE", "XENIMAGE",
					   "ACTIVE_DOMAINS", "PASSIVE_DOMAINS", "KERNEL_RANGE" };

	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++)
		if (!strcmp(name, old[i]))
			return true;
	return !strncmp(name, OP_EVENT_VARIABLE, strlen(OP_EVENT_VARIABLE)) ||
	       op_setting_by_variable(name, OP_FOR_OPCONTROL | OP_FOR_DAEMON);
}
