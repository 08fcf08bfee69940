// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * about.c -- reading and writing the description of a session.
 */
#include "config.h"
#include "libop/session/about.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/fs.h"

#define ABOUT_FILE	"stats/about"
#define MAX_FILE	8192

#define BETWEEN		"; "
#define NO_ROOM		BETWEEN "..."

static int64_t parse_number(const char *text)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(text, &end, 10);
	return errno || *end || n < 0 ? 0 : n;
}

static void parse_line(struct op_session_about *about, const char *key, const char *value)
{
	if (!strcmp(key, "begun"))
		about->begun = parse_number(value);
	else if (!strcmp(key, "ended"))
		about->ended = parse_number(value);
	else if (!strcmp(key, "sampled_ms"))
		about->sampled_ms = parse_number(value);
	else if (!strcmp(key, "host"))
		snprintf(about->host, sizeof(about->host), "%s", value);
	else if (!strcmp(key, "kernel"))
		snprintf(about->kernel, sizeof(about->kernel), "%s", value);
	else if (!strcmp(key, "command"))
		snprintf(about->command, sizeof(about->command), "%s", value);
	else if (!strcmp(key, "commands"))
		about->nr_commands = (uint32_t)parse_number(value);
	else if (!strcmp(key, "limits"))
		snprintf(about->limits, sizeof(about->limits), "%s", value);
	else if (!strcmp(key, "daemon") && strlen(value) < sizeof(about->daemon))
		strcpy(about->daemon, value);
	else if (!strcmp(key, "reader") && strlen(value) < sizeof(about->reader))
		strcpy(about->reader, value);
	else if (!strcmp(key, "packer") && strlen(value) < sizeof(about->packer))
		strcpy(about->packer, value);
}

static bool ends_with(const char *list, const char *last)
{
	size_t len = strlen(list), last_len = strlen(last);
	const char *end;

	if (len < last_len || strcmp(list + len - last_len, last))
		return false;
	end = list + len - last_len;
	return end == list || (end - list >= 2 && !strncmp(end - 2, BETWEEN, 2));
}

void op_session_about_add_command(struct op_session_about *about, const char *command)
{
	size_t len = strlen(about->command), room = sizeof(about->command) - len;

	about->nr_commands++;
	if (!len)
		snprintf(about->command, room, "%s", command);
	else if (ends_with(about->command, command) || ends_with(about->command, "..."))
		return;
	else if (strlen(BETWEEN) + strlen(command) + sizeof(NO_ROOM) <= room)
		snprintf(about->command + len, room, BETWEEN "%s", command);
	else if (sizeof(NO_ROOM) <= room)
		snprintf(about->command + len, room, NO_ROOM);
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
		parse_line(&about, line, value);
	}
	free(text);
	*ret = about;
	return 0;
}

/* Write a line "KEY VALUE" of the description. Replace each newline of the value by a blank. */
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
	if (about->sampled_ms)
		fprintf(f, "sampled_ms %" PRId64 "\n", about->sampled_ms);
	put(f, "host", about->host);
	put(f, "kernel", about->kernel);
	put(f, "command", about->command);
	if (about->nr_commands)
		fprintf(f, "commands %" PRIu32 "\n", about->nr_commands);
	put(f, "limits", about->limits);
	put(f, "daemon", about->daemon);
	put(f, "reader", about->reader);
	put(f, "packer", about->packer);
	if (fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	err = op_make_parents(samples_dirfd, ABOUT_FILE, 0755);
	if (!err)
		err = op_replace_file_in_place(samples_dirfd, ABOUT_FILE, text, len, 0644);
	free(text);
	return err;
}
