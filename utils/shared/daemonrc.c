// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemonrc.c -- reads and writes opcontrol's settings.
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

#include "libop/base/clean.h"
#include "libop/base/fs.h"

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

struct reading {
	struct op_settings *cfg;
	const char *path;
	unsigned int line;	/* number of the line that was parsed last */
	/* stream on which invalid lines are printed before they are skipped; NULL: an invalid line
	 * is an error */
	FILE *warnings;
};

static int set(struct op_settings *cfg, const char *name, const char *value)
{
	const struct op_setting *row;

	if (!value)
		return -EINVAL;
	if (!strncmp(name, OP_EVENT_VARIABLE, strlen(OP_EVENT_VARIABLE)))
		return op_settings_add_event(cfg, value);
	row = op_setting_by_variable(name, OP_FOR_OPCONTROL);
	return row && *value ? op_setting_restore(row, cfg, value) : 0;
}

static int set_variable(void *arg, unsigned int line, const char *name, const char *value)
{
	struct reading *r = arg;
	int err = set(r->cfg, name, value);

	r->line = line;
	if (err != -EINVAL || !r->warnings)
		return err;
	op_clean_printf(r->warnings, "opcontrol: %s: line %u cannot be used: correct it\n", r->path,
			line);
	return 0;
}

static int read_file(struct op_settings *cfg, struct reading *r, struct op_reason *error)
{
	int err = op_settings_file_read(r->path, set_variable, r);

	if (!err && r->cfg->session_dir[0] != '/')
		err = -EINVAL;
	if (!err) {
		op_settings_release(cfg);
		*cfg = *r->cfg;
		return 0;
	}
	op_settings_release(r->cfg);
	if (err == -ENOENT)
		return err;
	if (!r->line)
		return op_fail(error, err, "cannot read the settings in %s: %s", r->path,
			       strerror(-err));
	return op_fail(error, err,
		       "cannot read the settings in %s, near line %u: %s; "
		       "correct the file, or delete it to return to the "
		       "defaults",
		       r->path, r->line, err == -EINVAL ? "unknown line" : strerror(-err));
}

int ctl_settings_read(struct op_settings *cfg, const char *path, struct op_reason *error)
{
	struct op_settings read;
	struct reading r = { .cfg = &read, .path = path };
	int err = op_settings_init(&read, OP_FOR_OPCONTROL);

	return err ? err : read_file(cfg, &r, error);
}

int ctl_settings_service(struct op_settings *cfg)
{
	static const char *const defaults[][2] = {
		{ "interval", "10m" },
		{ "keep", OP_DEFAULT_KEEP },
		{ "max-disk", OP_DEFAULT_MAX_DISK },
		{ "callgraph", "128" },
	};
	int err = op_settings_init(cfg, OP_FOR_OPCONTROL);

	for (size_t i = 0; !err && i < sizeof(defaults) / sizeof(defaults[0]); i++)
		err = op_setting_parse(op_setting_by_name(defaults[i][0], OP_FOR_OPCONTROL), cfg,
				       defaults[i][1], NULL);
	return err;
}

int ctl_settings_read_machine(struct op_settings *cfg, const char *path, bool is_service,
			      FILE *warnings, struct op_reason *error)
{
	struct op_settings read;
	struct reading r = { .cfg = &read, .path = path, .warnings = warnings };
	int err = is_service ? ctl_settings_service(&read)
			     : op_settings_init(&read, OP_FOR_OPCONTROL);

	return err ? err : read_file(cfg, &r, error);
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
		snprintf(name, sizeof(name), OP_EVENT_VARIABLE "%zu", i);
		write_text(f, name, cfg->events[i]);
	}
	return 0;
}

/* Open the directory of @path; create it if it is missing. *@ret_leaf points into @path. */
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

/* Return the mode for a new settings file. In a directory that other users can enter, such as
 * /etc/oprofile, other users and the service can read the file. */
static mode_t mode_in(int dir)
{
	struct stat st;

	return !fstat(dir, &st) && st.st_mode & 0011 ? 0644 : 0600;
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
			err = op_replace_file(dir, leaf, text, len, mode_in(dir));
	}
	free(text);
	close(dir);
	if (!err)
		return 0;
fail:
	return op_fail(error, err, "cannot save the settings in %s: %s", path, strerror(-err));
}
