// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * about.c -- reads and writes what is to be known of a session beside its samples.
 */
#include "config.h"
#include "libop/session/about.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/fs.h"

#define ABOUT_FILE	"stats/about"
#define MAX_FILE	8192

static int64_t parse_time(const char *text)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(text, &end, 10);
	return errno || *end || n < 0 ? 0 : n;
}

static void take_line(struct op_session_about *about, const char *key, const char *value)
{
	if (!strcmp(key, "begun"))
		about->begun = parse_time(value);
	else if (!strcmp(key, "ended"))
		about->ended = parse_time(value);
	else if (!strcmp(key, "host"))
		snprintf(about->host, sizeof(about->host), "%s", value);
	else if (!strcmp(key, "kernel"))
		snprintf(about->kernel, sizeof(about->kernel), "%s", value);
	else if (!strcmp(key, "command"))
		snprintf(about->command, sizeof(about->command), "%s", value);
	else if (!strcmp(key, "limits"))
		snprintf(about->limits, sizeof(about->limits), "%s", value);
	else if (!strcmp(key, "daemon") && strlen(value) < sizeof(about->daemon))
		strcpy(about->daemon, value);
	else if (!strcmp(key, "reader") && strlen(value) < sizeof(about->reader))
		strcpy(about->reader, value);
}

int op_session_about_read(struct op_session_about *ret, int samples_dirfd)
{
	struct op_session_about about = { 0 };
	char *text, *rest, *line;
	size_t len;
	int err = op_read_file(samples_dirfd, ABOUT_FILE, MAX_FILE, &text, &len);

	if (err)
		return err;
	for (rest = text; (line = strsep(&rest, "\n"));) {
		char *value = strchr(line, ' ');

		if (!value)
			continue;
		*value++ = '\0';
		take_line(&about, line, value);
	}
	free(text);
	*ret = about;
	return 0;
}

/* One line each: the words of a command may have newlines. */
static void put(FILE *f, const char *key, const char *value)
{
	if (!*value)
		return;
	fprintf(f, "%s ", key);
	for (; *value; value++)
		putc(*value == '\n' ? ' ' : *value, f);
	putc('\n', f);
}

int op_session_about_write(const struct op_session_about *about, int samples_dirfd)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err;

	if (!f)
		return -ENOMEM;
	if (about->begun)
		fprintf(f, "begun %" PRId64 "\n", about->begun);
	if (about->ended)
		fprintf(f, "ended %" PRId64 "\n", about->ended);
	put(f, "host", about->host);
	put(f, "kernel", about->kernel);
	put(f, "command", about->command);
	put(f, "limits", about->limits);
	put(f, "daemon", about->daemon);
	put(f, "reader", about->reader);
	if (fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	err = op_make_parents(samples_dirfd, ABOUT_FILE, 0755);
	if (!err)
		err = op_replace_file_nowait(samples_dirfd, ABOUT_FILE, text, len, 0644);
	free(text);
	return err;
}
