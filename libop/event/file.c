// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file.c -- parser of the files `events` and `unit_masks`, which contain the events of a CPU and
 * their unit masks.
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

#define MAX_VALUES	64		/* of a unit mask */
#define GENERAL_COUNTERS	0xffffffffULL

/* Parsing of `unit_masks`. */

static int parse_type(const char *text, enum op_um_type *ret)
{
	if (!strcmp(text, "mandatory"))
		*ret = OP_UM_MANDATORY;
	else if (!strcmp(text, "bitmask"))
		*ret = OP_UM_BITMASK;
	else if (!strcmp(text, "exclusive"))
		*ret = OP_UM_EXCLUSIVE;
	else
		return -EINVAL;
	return 0;
}

/* Parse the line "name:NAME type:TYPE default:VALUE"; the order of the fields does not matter. */
static int parse_unit_mask(struct op_unit_mask *um, struct op_lines *lines, char *line)
{
	bool has_type = false, has_default = false;
	char *word, *value;
	uint64_t n;

	while ((word = op_lines_word(&line))) {
		value = op_lines_tag(word);
		if (!value || !*value)
			return op_lines_error(lines, "\"%s\": expected name:, type: or default: "
					      "followed by a value", word);
		if (!strcmp(word, "name") && !um->name) {
			um->name = strdup(value);
			if (!um->name)
				return -ENOMEM;
		} else if (!strcmp(word, "type") && !has_type) {
			if (parse_type(value, &um->type))
				return op_lines_error(lines, "type \"%s\": use mandatory, bitmask "
						      "or exclusive", value);
			has_type = true;
		} else if (!strcmp(word, "default") && !has_default) {
			if (!op_lines_number(value, UINT32_MAX, &n)) {
				um->default_value = n;
			} else {
				um->default_name = strdup(value);
				if (!um->default_name)
					return -ENOMEM;
			}
			has_default = true;
		} else {
			return op_lines_error(lines,
					      "tag \"%s\" is unknown or appears twice: a unit "
					      "mask starts with name: type: default:",
					      word);
		}
	}
	if (!um->name || !has_type || !has_default)
		return op_lines_error(lines, "a unit mask needs name:, type: and default:");
	return 0;
}

static int parse_extra(const struct op_lines *lines, char *text, uint32_t *ret)
{
	uint32_t extra = 0;
	char *item;
	uint64_t n;

	while ((item = strsep(&text, ","))) {
		if (!*item)
			continue;
		if (!strcmp(item, "edge"))
			extra |= OP_EXTRA_EDGE;
		else if (!strcmp(item, "inv"))
			extra |= OP_EXTRA_INV;
		else if (!strcmp(item, "any"))
			extra |= OP_EXTRA_ANY;
		else if (!strcmp(item, "pebs"))
			extra |= OP_EXTRA_PEBS;
		else if (!strncmp(item, "cmask=", 6) && !op_lines_number(item + 6, 255, &n))
			extra = (extra & 0xffffff) | (uint32_t)n << OP_EXTRA_CMASK_SHIFT;
		else
			return op_lines_error(lines, "extra \"%s\": use edge, inv, any, pebs or "
					      "cmask=N with N up to 255", item);
	}
	*ret = extra ? extra : OP_EXTRA_NONE;
	return 0;
}

/* Parse the line of a value: "0xNN [extra:...] [NAME] DESCRIPTION". */
static int parse_value(struct op_unit_mask *um, struct op_lines *lines, char *line)
{
	const struct op_um_value *other;
	char *word = op_lines_word(&line);
	const char *name = NULL;
	uint32_t extra = 0;
	uint64_t n;
	int err;

	if (op_lines_number(word, UINT32_MAX, &n))
		return op_lines_error(lines, "\"%s\": expected a number, the value of the mask",
				      word);
	while (isspace((unsigned char)*line))
		line++;
	if (!strncmp(line, "extra:", 6)) {
		err = parse_extra(lines, op_lines_word(&line) + 6, &extra);
		if (err)
			return err;
		name = op_lines_word(&line);
		if (!name)
			return op_lines_error(lines, "a value with extra: needs a name after it");
		while (isspace((unsigned char)*line))
			line++;
	}
	if (!*line)
		return op_lines_error(lines, "a value needs a description");
	if (um->nr_values == MAX_VALUES)
		return op_lines_error(lines, "unit mask %s has more than %d values", um->name,
				      MAX_VALUES);
	if (name && op_um_value_by_name(um, name))
		return op_lines_error(lines, "unit mask %s has the value \"%s\" twice", um->name,
				      name);
	other = op_um_value_by_number(um, n);
	if (other && (!name || !other->name))
		return op_lines_error(lines, "unit mask %s has the value 0x%x twice: give both a "
				      "name, after extra:", um->name, (unsigned int)n);
	return op_unit_mask_add_value(um, n, extra, name, line);
}

/* Check a unit mask after all its lines have been read. */
static int check_unit_mask(const struct op_unit_mask *um, struct op_lines *lines)
{
	unsigned int last = lines->line;
	int err = 0;

	lines->line = um->line;
	if (!um->nr_values)
		err = op_lines_error(lines, "unit mask %s has no values: put each on a line of its "
				     "own that starts with a tab", um->name);
	else if (um->type == OP_UM_MANDATORY && um->nr_values != 1)
		err = op_lines_error(lines,
				     "unit mask %s is mandatory, but has %zu values: make it "
				     "exclusive, or keep one",
				     um->name, um->nr_values);
	else if (um->default_name && !op_um_value_by_name(um, um->default_name))
		err = op_lines_error(lines, "default \"%s\" of unit mask %s is not among its values",
				     um->default_name, um->name);
	else if (!um->default_name && !op_um_valid(um, um->default_value))
		err = op_lines_error(lines, "default 0x%x of unit mask %s is %s", um->default_value,
				     um->name, um->type == OP_UM_BITMASK ?
				     "not made of its values" : "not among its values");
	lines->line = last;
	return err;
}

/* If a unit mask is complete, check it and add it to the table. */
static int finish_unit_mask(struct op_event_table *table, struct op_lines *lines,
			    struct op_unit_mask **um)
{
	int err;

	if (!*um)
		return 0;
	err = check_unit_mask(*um, lines);
	if (!err)
		err = op_event_table_add_unit_mask(table, *um);
	if (!err)
		*um = NULL;
	return err;
}

static int start_unit_mask(struct op_event_table *table, struct op_lines *lines, char *line,
			   struct op_unit_mask **ret)
{
	const struct op_unit_mask *other;
	struct op_unit_mask *um = calloc(1, sizeof(*um));
	int err = -ENOMEM;

	if (!um)
		return -ENOMEM;
	um->line = lines->line;
	um->file = strdup(lines->file);
	if (um->file)
		err = parse_unit_mask(um, lines, line);
	if (!err) {
		other = op_unit_mask_find(table, um->name);
		if (other)
			err = op_lines_error(lines, "unit mask %s is already defined at %s:%u",
					     um->name, other->file, other->line);
	}
	if (err) {
		op_unit_mask_free(um);
		return err;
	}
	*ret = um;
	return 0;
}

/* Add the unit masks of @cpu to the table. First add the unit masks from included files. Return 0;
 * OP_ERR_EVENT_TABLE or a negative errno with a message. */
static int load_unit_masks(struct op_event_table *table, const char *root, const char *cpu,
			   unsigned int depth, struct op_reason *error)
{
	struct op_unit_mask *um = NULL;
	struct op_lines lines;
	char *line;
	int err;

	err = op_lines_open(&lines, root, cpu, "unit_masks", depth, error);
	if (err)
		return err;
	while (!err && (line = op_lines_next(&lines))) {
		if (isspace((unsigned char)*line)) {
			err = um ? parse_value(um, &lines, line) :
				op_lines_error(&lines, "a value before the first name: line");
			continue;
		}
		err = finish_unit_mask(table, &lines, &um);
		if (err)
			break;
		if (!strncmp(line, "include:", 8))
			err = load_unit_masks(table, root, line + 8, depth + 1, error);
		else
			err = start_unit_mask(table, &lines, line, &um);
	}
	if (!err)
		err = finish_unit_mask(table, &lines, &um);
	op_unit_mask_free(um);
	op_lines_close(&lines);
	return err;
}

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
		if (all->nr_values == MAX_VALUES)
			return op_lines_error(lines, "these unit masks have more than %d values "
					      "together", MAX_VALUES);
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
	err = load_unit_masks(table, dir, folder, 0, error);
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
