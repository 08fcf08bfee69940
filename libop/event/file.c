// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file.c -- parser of the files `events`, which contain the events of a CPU.
 */
#include "config.h"
#include "libop/event/file.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "libop/base/error.h"
#include "libop/event/counter_alloc.h"
#include "libop/event/lines.h"
#include "libop/event/unit_mask_file.h"

#define GENERAL_COUNTERS	0xffffffffULL

/* Candidates for the events directory, relative to the program's directory: in a moved
 * installation, and in a build tree. */
static const char *const places[] = { "../share/oprofile/events", "../events", "../../events" };

/* Return the directory events/ of the running program's installation. NULL: not found, or memory is
 * short. */
static char *beside_program(void)
{
	char self[PATH_MAX], *path, *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return NULL;
	self[len] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (asprintf(&path, "%s/%s/i386/arch_perfmon", self, places[i]) < 0)
			return NULL;
		if (access(path, R_OK) == 0) {
			path[strlen(path) - strlen("/i386/arch_perfmon")] = '\0';
			return path;
		}
		free(path);
	}
	return NULL;
}

/* Return the events directory; the caller frees it. NULL: out of memory. */
static char *events_dir(void)
{
	const char *dir = secure_getenv("OPROFILE_EVENTS_DIR");
	char *beside;

	if (dir && *dir)
		return strdup(dir);
	beside = beside_program();
	return beside ? beside : strdup(OP_EVENTS_DIR);
}

static int parse_counters(const struct op_lines *lines, char *text, uint64_t *ret)
{
	uint64_t counters = 0, bit, n;
	char *item;

	while ((item = strsep(&text, ","))) {
		if (!strcmp(item, "cpuid"))
			bit = GENERAL_COUNTERS;
		else if (!op_lines_number(item, 31, &n))
			bit = 1ULL << n;
		else if (!strncmp(item, "fixed", 5) && !op_lines_number(item + 5, 31, &n))
			bit = 1ULL << OP_FIXED_COUNTER(n);
		else
			return op_lines_error(lines,
					      "counter \"%s\": use a number up to 31, cpuid, "
					      "or fixedN",
					      item);
		if (counters & bit)
			return op_lines_error(lines, "counter \"%s\" appears twice", item);
		counters |= bit;
	}
	*ret = counters;
	return 0;
}

static struct op_unit_mask *find_unit_mask(const struct op_event_table *table,
					   const struct op_lines *lines, const char *name)
{
	struct op_unit_mask *um = op_unit_mask_find(table, name);

	if (!um)
		op_lines_error(lines, "unknown unit mask \"%s\": define it in the file unit_masks "
			       "beside this one, or add an include: line for a CPU that "
			       "defines it", name);
	return um;
}

static int merge_into(struct op_unit_mask *all, const struct op_unit_mask *um,
		      const struct op_lines *lines)
{
	for (size_t i = 0; i < um->nr_values; i++) {
		const struct op_um_value *v = &um->values[i];
		const struct op_um_value *other = op_um_value_by_number(all, v->value);

		if ((v->name && op_um_value_by_name(all, v->name)) ||
		    (other && (!v->name || !other->name)))
			return op_lines_error(lines, "unit mask %s cannot be merged: value 0x%x is "
					      "there already", um->name, v->value);
		if (all->nr_values == OP_UM_MAX_VALUES)
			return op_lines_error(lines, "these unit masks have more than %d values "
					      "together", OP_UM_MAX_VALUES);
		if (op_unit_mask_add_value(all, v->value, v->extra, v->name, v->desc))
			return -ENOMEM;
	}
	return 0;
}

/* Merge the unit masks that the tag um:a,b,c lists into one mask. This mask has the values of all
 * listed masks, and the default of the first listed mask. */
static int merge_unit_masks(struct op_event_table *table, const struct op_lines *lines, char *names,
			    struct op_unit_mask **ret)
{
	struct op_unit_mask *all, *um;
	char *name;
	int err = -ENOMEM;

	*ret = op_unit_mask_find(table, names);
	if (*ret)
		return 0;
	all = calloc(1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	all->name = strdup(names);
	all->file = strdup(lines->file);
	all->line = lines->line;
	if (!all->name || !all->file)
		goto err_free;
	while ((name = strsep(&names, ","))) {
		err = OP_ERR_EVENT_TABLE;
		um = find_unit_mask(table, lines, name);
		if (!um)
			goto err_free;
		if (!all->nr_values) {
			all->type = um->type == OP_UM_BITMASK ? OP_UM_BITMASK : OP_UM_EXCLUSIVE;
			all->default_value = um->default_value;
			if (um->default_name) {
				all->default_name = strdup(um->default_name);
				err = -ENOMEM;
				if (!all->default_name)
					goto err_free;
			}
		} else if (um->type != OP_UM_BITMASK) {
			all->type = OP_UM_EXCLUSIVE;
		}
		err = merge_into(all, um, lines);
		if (err)
			goto err_free;
		um->used = 1;
	}
	err = op_event_table_add_unit_mask(table, all);
	if (err)
		goto err_free;
	*ret = all;
	return 0;

err_free:
	op_unit_mask_free(all);
	return err;
}

static bool is_event_name(const char *name)
{
	const char *p;

	for (p = name; *p; p++) {
		if (!isgraph((unsigned char)*p) || strchr("./,:", *p))
			return false;
	}
	return p > name && p - name < 128;
}

/* Parse one tag of an event. Return 0, or an error with a message. */
static int parse_tag(struct op_event *event, struct op_event_table *table,
		     const struct op_lines *lines, const char *tag, char *value)
{
	uint64_t n;

	if (!strcmp(tag, "event")) {
		if (op_lines_number(value, 0xffff, &n))
			return op_lines_error(lines, "event code \"%s\": use a number up to 0xffff",
					      value);
		event->code = n;
		return 0;
	}
	if (!strcmp(tag, "counters"))
		return parse_counters(lines, value, &event->counters);
	if (!strcmp(tag, "um")) {
		if (strchr(value, ','))
			return merge_unit_masks(table, lines, value, &event->unit_mask);
		event->unit_mask = find_unit_mask(table, lines, value);
		return event->unit_mask ? 0 : OP_ERR_EVENT_TABLE;
	}
	if (!strcmp(tag, "minimum")) {
		if (op_lines_number(value, INT32_MAX, &n) || !n)
			return op_lines_error(lines, "minimum \"%s\": use a number from 1 on",
					      value);
		event->min_count = n;
		return 0;
	}
	if (!strcmp(tag, "filter")) {
		if (op_lines_number(value, UINT32_MAX, &n))
			return op_lines_error(lines, "filter \"%s\" is not a number", value);
		return 0;	/* OProfile 1.4's files contain this tag: ignore it */
	}
	if (!strcmp(tag, "name")) {
		if (!is_event_name(value))
			return op_lines_error(lines, "event name \"%s\" is too long, or has a '.', "
					      "'/', ',' or ':' in it", value);
		event->name = strdup(value);
		return event->name ? 0 : -ENOMEM;
	}
	if (!strcmp(tag, "ext")) {
		if (strcmp(value, "ibs_fetch") && strcmp(value, "ibs_op"))
			return op_lines_error(lines, "ext \"%s\": use ibs_fetch or ibs_op", value);
		event->ext = strdup(value);
		return event->ext ? 0 : -ENOMEM;
	}
	return op_lines_error(lines,
			      "unknown tag \"%s:\": an event has event: counters: um: minimum: "
			      "name: ext: filter:",
			      tag);
}

static const char *const tags[] = {
	"event", "counters", "um", "minimum", "name", "ext", "filter",
};

#define NR_TAGS (sizeof(tags) / sizeof(tags[0]))

static int parse_tags(struct op_event *event, struct op_event_table *table,
		      const struct op_lines *lines, char *text)
{
	unsigned int seen = 0, need, i;
	char *word, *value;
	int err;

	while ((word = op_lines_word(&text))) {
		value = op_lines_tag(word);
		if (!value || !*value)
			return op_lines_error(lines,
					      "\"%s\": expected a tag with a value, like name:X; "
					      "the description follows \" : \"",
					      word);
		for (i = 0; i < NR_TAGS && strcmp(word, tags[i]); i++)
			;
		if (i < NR_TAGS && seen & (1u << i))
			return op_lines_error(lines, "tag \"%s:\" appears twice", word);
		err = parse_tag(event, table, lines, word, value);
		if (err)
			return err;
		seen |= 1u << i;
	}
	/* The tag counters: is required, except for an event with the tag ext:. */
	need = event->ext ? 0x1d : 0x1f;
	for (i = 0; i < NR_TAGS; i++) {
		if (need & ~seen & (1u << i))
			return op_lines_error(lines, "the event has no %s:", tags[i]);
	}
	if (event->ext && seen & 2)
		return op_lines_error(lines, "an event with ext: must not have counters:");
	return 0;
}

/* Return the event whose name equals @name, ignoring case, or NULL. Do not use op_event_find(),
 * which would create an event rNNNN. */
static const struct op_event *find_same(const struct op_event_table *table, const char *name)
{
	for (size_t i = 0; i < table->nr_events; i++) {
		if (!strcasecmp(table->events[i]->name, name))
			return table->events[i];
	}
	return NULL;
}

static int parse_event(struct op_event_table *table, const struct op_lines *lines, char *line)
{
	char *colon = strstr(line, " : ");
	struct op_event *event = calloc(1, sizeof(*event));
	const struct op_event *other;
	int err = -ENOMEM;

	if (!event)
		return -ENOMEM;
	event->line = lines->line;
	event->file = strdup(lines->file);
	if (!event->file)
		goto err_free;
	if (!colon || !colon[3]) {
		err = op_lines_error(lines, "the event has no description: add it after \" : \"");
		goto err_free;
	}
	*colon = '\0';
	event->desc = strdup(colon + 3);
	if (!event->desc)
		goto err_free;
	err = parse_tags(event, table, lines, line);
	if (err)
		goto err_free;
	other = find_same(table, event->name);
	if (other) {
		err = op_lines_error(lines, "event %s is already defined at %s:%u", event->name,
				     other->file, other->line);
		goto err_free;
	}
	err = op_event_table_add_event(table, event);
	if (err)
		goto err_free;
	return 0;

err_free:
	op_event_free(event);
	return err;
}

static int load_events(struct op_event_table *table, const char *root, const char *folder,
		       unsigned int depth, struct op_reason *error)
{
	struct op_lines lines;
	char *line;
	int err;

	err = op_lines_open(&lines, root, folder, "events", depth, error);
	if (err)
		return err;
	while (!err && (line = op_lines_next(&lines))) {
		if (!strncmp(line, "include:", 8))
			err = load_events(table, root, line + 8, depth + 1, error);
		else
			err = parse_event(table, &lines, line);
	}
	op_lines_close(&lines);
	return err;
}

/* Report an error if a unit mask that this directory defines is not used by any event. Unit masks
 * from included directories are checked when these directories are loaded. */
static int check_used(const struct op_event_table *table, const char *root, const char *folder,
		      struct op_reason *error)
{
	size_t i, len = strlen(root);

	for (i = 0; i < table->nr_unit_masks; i++) {
		const struct op_unit_mask *um = table->unit_masks[i];

		if (um->used || strncmp(um->file + len + 1, folder, strlen(folder)) ||
		    um->file[len + 1 + strlen(folder)] != '/')
			continue;
		return op_fail(error, OP_ERR_EVENT_TABLE, "%s:%u: no event uses unit mask %s: "
			       "remove it, or name it in an event's um:", um->file, um->line,
			       um->name);
	}
	return 0;
}

int op_event_file_load_folder(struct op_event_table **ret, const struct op_cpu_desc *cpu,
			      const char *folder, const char *root, struct op_reason *error)
{
	struct op_event_table *table = op_event_table_new(cpu);
	char *dir = root ? strdup(root) : events_dir();
	int err = -ENOMEM;

	if (!table || !dir)
		goto err_free;
	err = op_unit_mask_file_load(table, dir, folder, 0, error);
	if (!err)
		err = load_events(table, dir, folder, 0, error);
	if (!err)
		err = check_used(table, dir, folder, error);
	if (err)
		goto err_free;
	free(dir);
	*ret = table;
	return 0;

err_free:
	free(dir);
	op_event_table_free(table);
	return err;
}

int op_event_file_load(struct op_event_table **ret, const struct op_cpu_desc *cpu,
		       const char *root, struct op_reason *error)
{
	if (!cpu->events)
		return op_fail(error, -ENODATA, "no events are known for %s (%s)%s", cpu->pretty,
			       cpu->name, cpu->number == OP_CPU_TIMER ?
			       ": it is sampled by time, event TIMER" : "");
	return op_event_file_load_folder(ret, cpu, cpu->events, root, error);
}
