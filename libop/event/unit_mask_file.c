// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unit_mask_file.c -- parser of the files `unit_masks`, which contain the unit masks of a CPU's
 * events.
 */
#include "config.h"
#include "libop/event/unit_mask_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/event/lines.h"

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
static int parse_head(struct op_unit_mask *um, struct op_lines *lines, char *line)
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
	if (um->nr_values == OP_UM_MAX_VALUES)
		return op_lines_error(lines, "unit mask %s has more than %d values", um->name,
				      OP_UM_MAX_VALUES);
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
static int check(const struct op_unit_mask *um, struct op_lines *lines)
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
static int finish(struct op_event_table *table, struct op_lines *lines, struct op_unit_mask **um)
{
	int err;

	if (!*um)
		return 0;
	err = check(*um, lines);
	if (!err)
		err = op_event_table_add_unit_mask(table, *um);
	if (!err)
		*um = NULL;
	return err;
}

static int start(struct op_event_table *table, struct op_lines *lines, char *line,
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
		err = parse_head(um, lines, line);
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

int op_unit_mask_file_load(struct op_event_table *table, const char *root, const char *cpu,
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
		err = finish(table, &lines, &um);
		if (err)
			break;
		if (!strncmp(line, "include:", 8))
			err = op_unit_mask_file_load(table, root, line + 8, depth + 1, error);
		else
			err = start(table, &lines, line, &um);
	}
	if (!err)
		err = finish(table, &lines, &um);
	op_unit_mask_free(um);
	op_lines_close(&lines);
	return err;
}
