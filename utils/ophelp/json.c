// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c -- prints events as JSON, for programs.
 */
#include "config.h"
#include "utils/ophelp/list.h"

#include <stdbool.h>

#include "libop/base/json.h"

static void put_counters(struct op_json *json, uint64_t counters)
{
	op_json_begin_key(json, "counters", '[');
	for (int i = 0; i < 64; i++)
		if (counters & (1ULL << i))
			op_json_int(json, i);
	op_json_end(json, ']');
}

static void put_flag(struct op_json *json, const char *key, bool is_set)
{
	if (!is_set)
		return;
	op_json_key(json, key);
	op_json_word(json, "true");
}

static void put_value(struct op_json *json, const struct op_um_value *v)
{
	op_json_begin(json, '{');
	op_json_add_uint(json, "value", v->value);
	if (v->name)
		op_json_add_string(json, "name", v->name);
	op_json_add_string(json, "description", v->desc);
	put_flag(json, "edge", v->extra & OP_EXTRA_EDGE);
	put_flag(json, "invert", v->extra & OP_EXTRA_INV);
	put_flag(json, "any_thread", v->extra & OP_EXTRA_ANY);
	if (v->extra >> OP_EXTRA_CMASK_SHIFT)
		op_json_add_uint(json, "cmask", v->extra >> OP_EXTRA_CMASK_SHIFT);
	if (v->config1)
		op_json_add_uint(json, "config1", v->config1);
	op_json_end(json, '}');
}

static void put_mask(struct op_json *json, const struct op_event *event)
{
	const struct op_unit_mask *um = event->unit_mask;

	op_json_begin_key(json, "unit_mask", '{');
	op_json_add_string(json, "type", help_um_type(um));
	op_json_add_uint(json, "default", help_um_default(event));
	if (um->default_name)
		op_json_add_string(json, "default_name", um->default_name);
	op_json_begin_key(json, "values", '[');
	for (size_t i = 0; i < um->nr_values; i++)
		put_value(json, &um->values[i]);
	op_json_end(json, ']');
	op_json_end(json, '}');
}

static void put_event(struct op_json *json, const struct help_subject *subject,
		      const struct op_event *event)
{
	static const char *const sources[] = {
		[OP_EVENT_CURATED] = "table", [OP_EVENT_PFM] = "libpfm4", [OP_EVENT_RAW] = "raw",
	};

	op_json_begin(json, '{');
	op_json_add_string(json, "name", event->name);
	op_json_add_string(json, "description", event->desc);
	op_json_add_uint(json, "code", event->code);
	if (event->ext)
		op_json_add_string(json, "ext", event->ext);
	else
		put_counters(json, help_counters(subject, event));
	op_json_add_uint(json, "min_count", help_min_count(subject, event));
	op_json_add_string(json, "source", sources[event->source]);
	put_mask(json, event);
	op_json_end(json, '}');
}

static int write_json(FILE *to, const struct help_subject *subject, struct op_reason *error)
{
	const struct op_cpu_desc *cpu = subject->cpu->cpu;
	struct op_json json;

	(void)error;
	op_json_init(&json, to, 3);
	op_json_begin(&json, '{');
	op_json_add_string(&json, "cpu_type", cpu->name);
	op_json_add_string(&json, "cpu", cpu->pretty);
	op_json_add_string(&json, "note", subject->cpu->note);
	op_json_add_uint(&json, "counters", subject->cpu->counters);
	op_json_add_uint(&json, "fixed_counters", subject->cpu->fixed);
	if (cpu->default_event)
		op_json_add_string(&json, "default_event", cpu->default_event);
	op_json_begin_key(&json, "events", '[');
	for (size_t i = 0; i < subject->nr_events; i++)
		put_event(&json, subject, subject->events[i]);
	op_json_end(&json, ']');
	op_json_end(&json, '}');
	return 0;
}

const struct help_format help_json = { .write = write_json };
