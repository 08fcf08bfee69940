// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settings.c -- reads and writes daemonrc.
 */
#include "config.h"
#include "utils/settings.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/session/paths.h"

enum var_kind { VAR_TEXT, VAR_NUMBER };

/* One row per variable with a field of its own; events are CHOSEN_EVENTS_0 and so on. */
static const struct var {
	const char *name;
	enum var_kind kind;
	size_t offset;
} vars[] = {
	{ "SESSION_DIR", VAR_TEXT, offsetof(struct ctl_settings, session_dir) },
	{ "SEPARATE_LIB", VAR_NUMBER, offsetof(struct ctl_settings, separate_lib) },
	{ "SEPARATE_KERNEL", VAR_NUMBER, offsetof(struct ctl_settings, separate_kernel) },
	{ "SEPARATE_THREAD", VAR_NUMBER, offsetof(struct ctl_settings, separate_thread) },
	{ "SEPARATE_CPU", VAR_NUMBER, offsetof(struct ctl_settings, separate_cpu) },
	{ "VMLINUX", VAR_TEXT, offsetof(struct ctl_settings, vmlinux) },
	{ "IMAGE_FILTER", VAR_TEXT, offsetof(struct ctl_settings, image_filter) },
	{ "BUF_SIZE", VAR_NUMBER, offsetof(struct ctl_settings, buffer_size) },
	{ "BUF_WATERSHED", VAR_NUMBER, offsetof(struct ctl_settings, buffer_watershed) },
	{ "CPU_BUF_SIZE", VAR_NUMBER, offsetof(struct ctl_settings, cpu_buffer_size) },
	{ "CALLGRAPH", VAR_NUMBER, offsetof(struct ctl_settings, callgraph) },
	{ "SOURCE", VAR_TEXT, offsetof(struct ctl_settings, source) },
	{ "BACKEND", VAR_TEXT, offsetof(struct ctl_settings, backend) },
	{ "TIME_SLICE", VAR_NUMBER, offsetof(struct ctl_settings, time_slice) },
	{ "JITTER", VAR_NUMBER, offsetof(struct ctl_settings, jitter) },
	{ "CPUS", VAR_TEXT, offsetof(struct ctl_settings, cpus) },
	{ "GROUP", VAR_TEXT, offsetof(struct ctl_settings, group) },
	{ "SYMBOLS", VAR_TEXT, offsetof(struct ctl_settings, symbols) },
	{ "MODULE", VAR_TEXT, offsetof(struct ctl_settings, module) },
};

#define NR_VARS (sizeof(vars) / sizeof(vars[0]))
#define EVENT_VAR "CHOSEN_EVENTS_"

static char **text_field(const struct ctl_settings *cfg, const struct var *var)
{
	return (char **)((char *)cfg + var->offset);
}

static unsigned long *number_field(const struct ctl_settings *cfg, const struct var *var)
{
	return (unsigned long *)((char *)cfg + var->offset);
}

static const char *const source_names[] = {
	[CTL_SOURCE_AUTO] = "auto",
	[CTL_SOURCE_MODULE] = "module",
	[CTL_SOURCE_PERF] = "perf",
};

const char *ctl_source_name(enum ctl_source source)
{
	return source_names[source];
}

int ctl_source_by_name(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(source_names) / sizeof(source_names[0]); i++) {
		if (!strcmp(name, source_names[i]))
			return (int)i;
	}
	return -1;
}

bool ctl_backend_valid(const char *name)
{
	static const char *const names[] = { "auto", "native", "perf", "timer" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

const char *ctl_settings_backend(const struct ctl_settings *cfg)
{
	return cfg->backend && strcmp(cfg->backend, "auto") ? cfg->backend : NULL;
}

enum ctl_source ctl_settings_source(const struct ctl_settings *cfg)
{
	int source = cfg->source ? ctl_source_by_name(cfg->source) : -1;

	return source < 0 ? CTL_SOURCE_AUTO : (enum ctl_source)source;
}

int ctl_settings_init(struct ctl_settings *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	cfg->session_dir = strdup(OP_DEFAULT_SESSION_DIR);
	/* "Which program spends its time where" is what people ask; all of it, as operf has it. */
	cfg->separate_lib = cfg->separate_kernel = 1;
	return cfg->session_dir ? 0 : -ENOMEM;
}

void ctl_settings_clear_events(struct ctl_settings *cfg)
{
	while (cfg->nr_events)
		free(cfg->events[--cfg->nr_events]);
	free(cfg->events);
	cfg->events = NULL;
}

void ctl_settings_release(struct ctl_settings *cfg)
{
	size_t i;

	ctl_settings_clear_events(cfg);
	for (i = 0; i < NR_VARS; i++) {
		if (vars[i].kind == VAR_TEXT)
			free(*text_field(cfg, &vars[i]));
	}
	memset(cfg, 0, sizeof(*cfg));
}

int ctl_settings_add_event(struct ctl_settings *cfg, const char *spec)
{
	if (op_grow(&cfg->events, cfg->nr_events))
		return -ENOMEM;
	cfg->events[cfg->nr_events] = strdup(spec);
	if (!cfg->events[cfg->nr_events])
		return -ENOMEM;
	cfg->nr_events++;
	return 0;
}

/* Decodes a bare or double-quoted value in place. False: not a value. */
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

static bool parse_number(unsigned long *ret, const char *text)
{
	char *end;
	unsigned long n;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *end)
		return false;
	*ret = n;
	return true;
}

static int set_var(struct ctl_settings *cfg, const char *name, const char *value)
{
	const struct var *var;
	char *copy;

	if (!strncmp(name, EVENT_VAR, strlen(EVENT_VAR)))
		return ctl_settings_add_event(cfg, value);

	for (var = vars; var < vars + NR_VARS; var++) {
		if (!strcmp(name, var->name))
			break;
	}
	if (var == vars + NR_VARS || !*value)
		return 0;
	if (var->kind == VAR_NUMBER)
		return parse_number(number_field(cfg, var), value) ? 0 : -EINVAL;

	copy = strdup(value);
	if (!copy)
		return -ENOMEM;
	free(*text_field(cfg, var));
	*text_field(cfg, var) = copy;
	return 0;
}

static int parse_line(struct ctl_settings *cfg, char *line)
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
	return set_var(cfg, line, value);
}

static int check(const struct ctl_settings *cfg)
{
	if (cfg->session_dir[0] != '/')
		return -EINVAL;
	if (cfg->source && ctl_source_by_name(cfg->source) < 0)
		return -EINVAL;
	if (cfg->backend && !ctl_backend_valid(cfg->backend))
		return -EINVAL;
	return 0;
}

int ctl_settings_read(struct ctl_settings *cfg, const char *path, struct ctl_error *error)
{
	struct ctl_settings read;
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
		return ctl_fail(error, err, "Cannot read the settings in %s: %s.", path,
				strerror(-err));
	}
	err = ctl_settings_init(&read);
	while (!err && getline(&line, &size, f) >= 0) {
		line_nr++;
		err = parse_line(&read, line);
	}
	if (!err && ferror(f))
		err = -EIO;
	if (!err)
		err = check(&read);
	free(line);
	fclose(f);
	if (err) {
		ctl_settings_release(&read);
		return ctl_fail(error, err, "Cannot read the settings in %s, near line %u: %s. "
				"Correct the file, or delete it to return to the defaults.",
				path, line_nr, err == -EINVAL ? "not understood" : strerror(-err));
	}
	ctl_settings_release(cfg);
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

static void write_vars(const struct ctl_settings *cfg, FILE *f)
{
	const struct var *var;
	char name[64];
	size_t i;

	for (var = vars; var < vars + NR_VARS; var++) {
		if (var->kind == VAR_NUMBER)
			fprintf(f, "%s=%lu\n", var->name, *number_field(cfg, var));
		else if (*text_field(cfg, var))
			write_text(f, var->name, *text_field(cfg, var));
	}
	fprintf(f, "NR_CHOSEN=%zu\n", cfg->nr_events);
	for (i = 0; i < cfg->nr_events; i++) {
		snprintf(name, sizeof(name), EVENT_VAR "%zu", i);
		write_text(f, name, cfg->events[i]);
	}
}

/* Opens the directory @path is in, making it when missing. *@ret_leaf points into @path. */
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

int ctl_settings_write(const struct ctl_settings *cfg, const char *path, struct ctl_error *error)
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
		write_vars(cfg, f);
		if (fclose(f) == 0)
			err = op_replace_file(dir, leaf, text, len, 0600);
	}
	free(text);
	close(dir);
	if (!err)
		return 0;
fail:
	return ctl_fail(error, err, "Cannot save the settings in %s: %s.", path, strerror(-err));
}
