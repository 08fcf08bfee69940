// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracepoint.c -- tracepoints of the kernel as events SYSTEM:NAME. The code of such an event is the
 * tracepoint's id in tracefs.
 */
#include "config.h"
#include "libop/event/tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/grow.h"
#include "libop/base/nearest.h"
#include "libop/event/any_cpu.h"
#include "libop/event/spec.h"

#define TRACEFS		"/sys/kernel/tracing"
#define OLD_TRACEFS	"/sys/kernel/debug/tracing"
#define PATH_SIZE	512

bool op_event_is_tracepoint(const struct op_event *event)
{
	return event->ext && !strcmp(event->ext, OP_EVENT_EXT_TRACEPOINT);
}

/* Return the mount point of tracefs: @tracefs if it is not NULL; otherwise /sys/kernel/tracing or,
 * on systems without that directory, the directory in debugfs. */
static const char *mount_point(const char *tracefs)
{
	if (tracefs)
		return tracefs;
	return access(TRACEFS "/events", F_OK) && !access(OLD_TRACEFS "/events", F_OK) ?
		       OLD_TRACEFS : TRACEFS;
}

/* Write the path of the file @file in the directory of the tracepoint @name. @name must be
 * valid. */
static void path_of(char path[PATH_SIZE], const char *tracefs, const char *name, const char *file)
{
	const int system = (int)strcspn(name, ":");

	snprintf(path, PATH_SIZE, "%s/events/%.*s/%s%s%s", mount_point(tracefs), system, name,
		 name + system + (name[system] == ':'), *file ? "/" : "", file);
}

/* Return 0 if this process may read tracefs, or a negative errno with an error message that says
 * how to allow it. */
static int check_tracefs(const char *tracefs, struct op_reason *error)
{
	const char *root = mount_point(tracefs);
	char path[PATH_SIZE];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/events", root);
	dir = opendir(path);
	if (dir) {
		closedir(dir);
		return 0;
	}
	if (errno == EACCES || errno == EPERM)
		return op_fail(error, -EACCES,
			       "cannot read the tracepoints in %s: %s; run as root, or let a group "
			       "read them: mount -o remount,gid=GROUP,mode=750 %s",
			       root, strerror(errno), root);
	if (errno == ENOENT && !access("/sys/kernel", F_OK))
		return op_fail(error, -ENOENT,
			       "cannot read the tracepoints in %s: tracefs is not mounted; run as "
			       "root: mount -t tracefs tracefs " TRACEFS, root);
	return op_fail(error, -errno, "cannot read the tracepoints in %s: %s", root, strerror(errno));
}

/* Call @add for each entry of the directory @path whose name may be part of a tracepoint's name.
 * Return 0, or the first error of @add. A directory that cannot be read counts as empty. */
static int each_entry(const char *path, int (*add)(void *arg, const char *name), void *arg)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int err = 0;

	while (dir && !err && (entry = readdir(dir)))
		if (op_event_is_tracepoint_word(entry->d_name, strlen(entry->d_name)))
			err = add(arg, entry->d_name);
	if (dir)
		closedir(dir);
	return err;
}

struct listing {
	struct op_tracepoints list;
	const char *pattern, *root;
	const char *system;	/* SYSTEM of the tracepoints whose directory is being read */
};

static int add_name(void *arg, const char *name)
{
	struct listing *l = arg;
	char path[PATH_SIZE], *full;

	if (asprintf(&full, "%s:%s", l->system, name) < 0)
		return -ENOMEM;
	/* Skip files such as "enable" and "filter": they are in the directory of a SYSTEM, but are
	 * not tracepoints. */
	path_of(path, l->root, full, "id");
	if (fnmatch(l->pattern, full, 0) || access(path, F_OK)) {
		free(full);
		return 0;
	}
	if (op_grow(&l->list.names, l->list.nr)) {
		free(full);
		return -ENOMEM;
	}
	l->list.names[l->list.nr++] = full;
	return 0;
}

static int add_system(void *arg, const char *name)
{
	struct listing *l = arg;
	char path[PATH_SIZE];

	l->system = name;
	snprintf(path, sizeof(path), "%s/events/%s", l->root, name);
	return each_entry(path, add_name, l);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int op_tracepoints_list(struct op_tracepoints *ret, const char *pattern, const char *tracefs,
			struct op_reason *error)
{
	struct listing l = { .pattern = pattern, .root = mount_point(tracefs) };
	char path[PATH_SIZE];
	int err = check_tracefs(tracefs, error);

	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/events", l.root);
	err = each_entry(path, add_system, &l);
	if (err) {
		op_tracepoints_release(&l.list);
		return err;
	}
	if (l.list.nr)
		qsort(l.list.names, l.list.nr, sizeof(*l.list.names), compare_names);
	*ret = l.list;
	return 0;
}

void op_tracepoints_release(struct op_tracepoints *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct op_tracepoints){ .nr = 0 };
}

/* Set an error message for an unknown tracepoint, with similar names. If the tracepoint's SYSTEM
 * exists, suggest only tracepoints of this SYSTEM. */
static int fail_unknown(const char *name, const char *tracefs, struct op_reason *error)
{
	struct op_nearest nearest = { .nr = 0 };
	struct op_tracepoints list = { .nr = 0 };
	struct op_reason unheard = { "" };
	char pattern[PATH_SIZE] = "*", meant[400];
	const int system = (int)strcspn(name, ":");
	int err;

	if (op_tracepoint_has_system(name, tracefs))
		snprintf(pattern, sizeof(pattern), "%.*s:*", system, name);
	if (!op_tracepoints_list(&list, pattern, tracefs, &unheard))
		for (size_t i = 0; i < list.nr; i++)
			op_nearest_add(&nearest, name, list.names[i]);
	err = op_fail(error, -ENOENT, "the kernel has no tracepoint %s%s; ophelp '%s' lists %s", name,
		      op_nearest_text(&nearest, meant, sizeof(meant)),
		      pattern[1] ? pattern : "*:*",
		      pattern[1] ? "the system's tracepoints" : "all tracepoints");
	op_tracepoints_release(&list);
	return err;
}

bool op_tracepoint_has_system(const char *name, const char *tracefs)
{
	char path[PATH_SIZE];
	struct stat st;

	snprintf(path, sizeof(path), "%s/events/%.*s", mount_point(tracefs), (int)strcspn(name, ":"),
		 name);
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int op_tracepoint_id(uint64_t *ret, const char *name, const char *tracefs, struct op_reason *error)
{
	unsigned long long id;
	char path[PATH_SIZE];
	int err, ok;
	FILE *f;

	if (!op_event_name_is_tracepoint(name))
		return op_fail(error, -EINVAL, "\"%s\" is not a tracepoint, which is written "
					     "SYSTEM:NAME, as in sched:sched_switch", name);
	err = check_tracefs(tracefs, error);
	if (err)
		return err;
	path_of(path, tracefs, name, "id");
	f = fopen(path, "re");
	if (!f && (errno == ENOENT || errno == ENOTDIR))
		return fail_unknown(name, tracefs, error);
	if (!f)
		return op_fail(error, -errno, "cannot read %s: %s; run as root", path,
			       strerror(errno));
	ok = fscanf(f, "%llu", &id) == 1;
	fclose(f);
	if (!ok)
		return op_fail(error, -EIO, "cannot read %s: it has no number", path);
	*ret = id;
	return 0;
}

const struct op_event *op_tracepoint_find(struct op_event_table *table, const char *name,
					  struct op_reason *error)
{
	struct op_event *event;
	uint64_t id;

	for (size_t i = 0; i < table->nr_events; i++) {
		event = table->events[i];
		if (op_event_is_tracepoint(event) && !strcmp(event->name, name))
			return event;
	}
	if (op_tracepoint_id(&id, name, table->tracefs, error) ||
	    op_event_any_cpu_add_one(&event, table, name, OP_TRACEPOINT_MEANING,
				     OP_EVENT_EXT_TRACEPOINT))
		return NULL;
	event->raw = id;
	return event;
}

/* The file "format" of a tracepoint declares the tracepoint's fields in lines. Return the name of
 * the field that @line declares, and set *@len to its length. Return NULL if the line declares no
 * field, or a field that all tracepoints have. */
static const char *field_name(const char *line, size_t *len)
{
	const char *field = strstr(line, "field:"), *end, *start;

	if (!field || !(end = strchr(field, ';')))
		return NULL;
	start = memchr(field, '[', (size_t)(end - field));
	/* in a declaration "__data_loc char[] name", the brackets precede the name */
	if (start && !memchr(start, ' ', (size_t)(end - start)))
		end = start;
	for (start = end; start > field && start[-1] != ' ' && start[-1] != '*'; start--)
		;
	*len = (size_t)(end - start);
	return *len && strncmp(start, "common_", strlen("common_")) ? start : NULL;
}

const char *op_tracepoint_fields(char *text, size_t size, const char *name, const char *tracefs)
{
	char path[PATH_SIZE], *line = NULL;
	size_t room = 0, used = 0, len;
	const char *field;
	FILE *f;

	*text = '\0';
	path_of(path, tracefs, name, "format");
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) > 0) {
		field = field_name(line, &len);
		if (field && used + len + 3 < size)
			used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? ", " : "",
						 (int)len, field);
	}
	if (f)
		fclose(f);
	free(line);
	return text;
}
