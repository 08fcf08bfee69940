// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event.c -- tables of a CPU's events and unit masks, in memory.
 */
#include "config.h"
#include "libop/event/event.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libop/base/grow.h"

void op_event_free(struct op_event *event)
{
	if (!event)
		return;
	free(event->name);
	free(event->desc);
	free(event->ext);
	free(event->file);
	free(event);
}

void op_unit_mask_free(struct op_unit_mask *um)
{
	if (!um)
		return;
	for (size_t i = 0; i < um->nr_values; i++) {
		free(um->values[i].name);
		free(um->values[i].desc);
	}
	free(um->values);
	free(um->name);
	free(um->default_name);
	free(um->file);
	free(um);
}

struct op_event_table *op_event_table_new(const struct op_cpu_desc *cpu)
{
	struct op_event_table *table = calloc(1, sizeof(*table));

	if (table)
		table->cpu = cpu;
	return table;
}

void op_event_table_free(struct op_event_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->nr_events; i++)
		op_event_free(table->events[i]);
	for (size_t i = 0; i < table->nr_unit_masks; i++)
		op_unit_mask_free(table->unit_masks[i]);
	free(table->events);
	free(table->unit_masks);
	free(table);
}

int op_event_table_add_event(struct op_event_table *table, struct op_event *event)
{
	int err = op_grow(&table->events, table->nr_events);

	if (err)
		return err;
	table->events[table->nr_events++] = event;
	event->unit_mask->used = 1;
	return 0;
}

int op_event_table_add_unit_mask(struct op_event_table *table, struct op_unit_mask *um)
{
	int err = op_grow(&table->unit_masks, table->nr_unit_masks);

	if (err)
		return err;
	table->unit_masks[table->nr_unit_masks++] = um;
	return 0;
}

int op_unit_mask_add_value(struct op_unit_mask *um, uint32_t value, uint32_t extra,
			   const char *name, const char *desc)
{
	struct op_um_value new = { .value = value, .extra = extra };

	if (op_grow(&um->values, um->nr_values))
		return -ENOMEM;
	new.name = name ? strdup(name) : NULL;
	new.desc = strdup(desc);
	if ((name && !new.name) || !new.desc) {
		free(new.name);
		free(new.desc);
		return -ENOMEM;
	}
	um->values[um->nr_values++] = new;
	return 0;
}

struct op_unit_mask *op_unit_mask_find(const struct op_event_table *table, const char *name)
{
	for (size_t i = 0; i < table->nr_unit_masks; i++) {
		if (!strcmp(table->unit_masks[i]->name, name))
			return table->unit_masks[i];
	}
	return NULL;
}

/* Return the unit mask of raw events, which has no values. */
static struct op_unit_mask *raw_unit_mask(struct op_event_table *table)
{
	/* a name that no events file can define */
	static const char name[] = "(raw)";
	struct op_unit_mask *um = op_unit_mask_find(table, name);

	if (um)
		return um;
	um = calloc(1, sizeof(*um));
	if (!um)
		return NULL;
	um->name = strdup(name);
	if (!um->name || op_unit_mask_add_value(um, 0, 0, NULL, "No unit mask") ||
	    op_event_table_add_unit_mask(table, um)) {
		op_unit_mask_free(um);
		return NULL;
	}
	return um;
}

/* Create the raw event @name, of the form rNNNN. Return NULL if @name does not have this form. */
static const struct op_event *make_raw(struct op_event_table *table, const char *name)
{
	struct op_event *event;
	char *end, text[64];
	uint64_t raw;

	if ((name[0] != 'r' && name[0] != 'R') || !isxdigit((unsigned char)name[1]) ||
	    strlen(name) > 17)
		return NULL;
	raw = strtoull(name + 1, &end, 16);
	if (*end)
		return NULL;

	event = calloc(1, sizeof(*event));
	if (!event)
		return NULL;
	snprintf(text, sizeof(text), "Raw event 0x%" PRIx64, raw);
	event->name = strdup(name);
	event->desc = strdup(text);
	event->unit_mask = raw_unit_mask(table);
	event->raw = raw;
	event->source = OP_EVENT_RAW;
	event->counters = UINT64_MAX;
	event->min_count = 500;
	switch (table->cpu->arch) {
	case OP_PMU_ARM:
		event->code = raw & 0xffff;
		break;
	case OP_PMU_AMD:
		event->code = (raw & 0xff) | (raw >> 24 & 0xf00);
		break;
	default:
		event->code = raw & 0xff;
	}
	if (!event->name || !event->desc || !event->unit_mask ||
	    op_event_table_add_event(table, event)) {
		op_event_free(event);
		return NULL;
	}
	return event;
}

const struct op_event *op_event_find(struct op_event_table *table, const char *name)
{
	const struct op_event *other_case = NULL;

	for (size_t i = 0; i < table->nr_events; i++) {
		if (!strcmp(table->events[i]->name, name))
			return table->events[i];
		if (!other_case && !strcasecmp(table->events[i]->name, name))
			other_case = table->events[i];
	}
	return other_case ? other_case : make_raw(table, name);
}

const struct op_um_value *op_um_value_by_name(const struct op_unit_mask *um, const char *name)
{
	for (size_t i = 0; i < um->nr_values; i++) {
		if (um->values[i].name && !strcasecmp(um->values[i].name, name))
			return &um->values[i];
	}
	return NULL;
}

const struct op_um_value *op_um_value_by_number(const struct op_unit_mask *um, uint32_t value)
{
	for (size_t i = 0; i < um->nr_values; i++) {
		if (um->values[i].value == value)
			return &um->values[i];
	}
	return NULL;
}

const struct op_um_value *op_um_default(const struct op_unit_mask *um)
{
	if (um->default_name)
		return op_um_value_by_name(um, um->default_name);
	return op_um_value_by_number(um, um->default_value);
}

bool op_um_valid(const struct op_unit_mask *um, uint32_t value)
{
	uint32_t all = 0;

	if (op_um_value_by_number(um, value))
		return true;
	if (um->type != OP_UM_BITMASK || !value)
		return false;
	for (size_t i = 0; i < um->nr_values; i++)
		all |= um->values[i].value;
	return !(value & ~all);
}

uint64_t op_event_config(const struct op_cpu_desc *cpu, const struct op_event *event,
			 uint32_t um, uint32_t extra)
{
	if (event->source == OP_EVENT_RAW)
		return event->raw;
	switch (cpu->arch) {
	case OP_PMU_INTEL:
	case OP_PMU_AMD:
		return (event->code & 0xff) | (um & 0xff) << 8 | (extra & OP_EXTRA_REGISTER) |
		       (uint64_t)(event->code & 0xf00) << 24;
	default:
		return event->code;
	}
}

bool op_event_is_pair(const struct op_cpu_desc *cpu, const struct op_event *event)
{
	/* The table says that the event can use counters 0, 2 and 4 of the CPU's six counters. On
	 * such a CPU, the event also occupies the next counter. */
	return cpu->arch == OP_PMU_AMD && event->code == 0x003 && event->counters == 0x15;
}
