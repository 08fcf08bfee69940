// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemonrc.c -- reader and writer of daemonrc.
 */
#include "config.h"
#include "utils/shared/daemonrc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/fs.h"

#define EVENT_VAR "CHOSEN_EVENTS_"

static const char *const source_names[] = {
	[CTL_SOURCE_AUTO] = "auto",
	[CTL_SOURCE_MODULE] = "module",
	[CTL_SOURCE_PERF] = "perf",
};

const char *ctl_source_name(enum ctl_source source)
{
	return source_names[source];
}

const char *ctl_settings_backend(const struct op_settings *cfg)
{
	return cfg->backend && strcmp(cfg->backend, "auto") ? cfg->backend : NULL;
}

enum ctl_source ctl_settings_source(const struct op_settings *cfg)
{
	for (size_t i = 0; cfg->source && i < sizeof(source_names) / sizeof(source_names[0]); i++) {
		if (!strcmp(cfg->source, source_names[i]))
			return (enum ctl_source)i;
	}
	return CTL_SOURCE_AUTO;
}

/* Decode a bare or double-quoted value in place. Return false if it is malformed. */
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

static int set_variable(struct op_settings *cfg, const char *name, const char *value)
{
	const struct op_setting *row;

	if (!strncmp(name, EVENT_VAR, strlen(EVENT_VAR)))
		return op_settings_add_event(cfg, value);
	op_for_each_setting(row, OP_FOR_OPCONTROL) {
		if (row->variable && !strcmp(row->variable, name))
			return *value ? op_setting_restore(row, cfg, value) : 0;
	}
	return 0;
}

static int parse_line(struct op_settings *cfg, char *line)
{
	char *value;

	line[strcspn(line, "\n")] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	value = strchr(line, '=');
	if (!value || value == line)
		return -EINVAL;
	*value++ = '\0';
	if (!unquote(value))
		return -EINVAL;
	return set_variable(cfg, line, value);
}

int ctl_settings_read(struct op_settings *cfg, const char *path, struct op_reason *error)
{
	struct op_settings read;
	unsigned int line_nr = 0;
	char *line = NULL;
	size_t size = 0;
	FILE *f;
	int err;

	f = fopen(path, "re");
	if (!f) {
		if (errno == ENOENT)
			return -ENOENT;
		err = -errno;
		return op_fail(error, err, "cannot read the settings in %s: %s", path,
			       strerror(-err));
	}
	err = op_settings_init(&read, OP_FOR_OPCONTROL);
	while (!err && getline(&line, &size, f) >= 0) {
		line_nr++;
		err = parse_line(&read, line);
	}
	if (!err && ferror(f))
		err = -EIO;
	if (!err && read.session_dir[0] != '/')
		err = -EINVAL;
	free(line);
	fclose(f);
	if (err) {
		op_settings_release(&read);
		return op_fail(error, err, "cannot read the settings in %s, near line %u: %s; "
					   "correct the file, or delete it to return to the "
					   "defaults",
			       path, line_nr, err == -EINVAL ? "unknown line" : strerror(-err));
	}
	op_settings_release(cfg);
	*cfg = read;
	return 0;
}

static bool needs_quotes(const char *value)
{
	return value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "-_:,./+@%")] != '\0';
}

static void write_text(FILE *f, const char *name, const char *value)
{
	if (!needs_quotes(value)) {
		fprintf(f, "%s=%s\n", name, value);
		return;
	}
	fprintf(f, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n') {
			fputs("\\n", f);
			continue;
		}
		if (strchr("\"\\$`", *value))
			fputc('\\', f);
		fputc(*value, f);
	}
	fputs("\"\n", f);
}

static int write_setting(const struct op_setting *row, const struct op_settings *cfg, FILE *f)
{
	char *text;
	int err = op_setting_text(&text, row, cfg);

	if (err)
		return err;
	if (text)
		write_text(f, row->variable, text);
	else if (row->type == OP_SETTING_NUMBER || row->type == OP_SETTING_BIT)
		fprintf(f, "%s=0\n", row->variable);
	free(text);
	return 0;
}

static int write_settings(const struct op_settings *cfg, FILE *f)
{
	const struct op_setting *row;
	char name[64];

	op_for_each_setting(row, OP_FOR_OPCONTROL) {
		int err = row->variable ? write_setting(row, cfg, f) : 0;

		if (err)
			return err;
	}
	fprintf(f, "NR_CHOSEN=%zu\n", cfg->nr_events);
	for (size_t i = 0; i < cfg->nr_events; i++) {
		snprintf(name, sizeof(name), EVENT_VAR "%zu", i);
		write_text(f, name, cfg->events[i]);
	}
	return 0;
}

/* Open the directory of @path, and make it if needed. *@ret_leaf points into @path. */
static int open_parent(const char *path, const char **ret_leaf)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	int fd, err;

	if (!dir)
		return -ENOMEM;
	if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
		err = -errno;
	} else {
		fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
		err = fd < 0 ? -errno : fd;
	}
	free(dir);
	*ret_leaf = slash ? slash + 1 : path;
	return err;
}

int ctl_settings_write(const struct op_settings *cfg, const char *path, struct op_reason *error)
{
	char *text = NULL;
	const char *leaf;
	size_t len;
	int dir, err;
	FILE *f;

	dir = open_parent(path, &leaf);
	if (dir < 0) {
		err = dir;
		goto fail;
	}
	err = -ENOMEM;
	f = open_memstream(&text, &len);
	if (f) {
		err = write_settings(cfg, f);
		if (fclose(f))
			err = -ENOMEM;
		if (!err)
			err = op_replace_file(dir, leaf, text, len, 0600);
	}
	free(text);
	close(dir);
	if (!err)
		return 0;
fail:
	return op_fail(error, err, "cannot save the settings in %s: %s", path, strerror(-err));
}
