// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * help_json.c -- events for programs that read JSON.
 */
#include "config.h"
#include "utils/help.h"

#include <errno.h>
#include <json.h>
#include <string.h>

/* Adds and gives up a member; a member that could not be made is a failure. */
static int add(struct json_object *object, const char *key, struct json_object *member)
{
	if (!member)
		return -ENOMEM;
	if (json_object_object_add(object, key, member)) {
		json_object_put(member);
		return -ENOMEM;
	}
	return 0;
}

static int append(struct json_object *array, struct json_object *member)
{
	if (!member)
		return -ENOMEM;
	if (json_object_array_add(array, member)) {
		json_object_put(member);
		return -ENOMEM;
	}
	return 0;
}

static struct json_object *new_counters(uint64_t counters)
{
	struct json_object *array = json_object_new_array();
	int i, err = array ? 0 : -ENOMEM;

	for (i = 0; i < 64 && !err; i++) {
		if (counters & (1ULL << i))
			err = append(array, json_object_new_int(i));
	}
	if (!err)
		return array;
	json_object_put(array);
	return NULL;
}

static struct json_object *new_value(const struct op_um_value *v)
{
	struct json_object *object = json_object_new_object();

	if (!object || add(object, "value", json_object_new_int64(v->value)) ||
	    (v->name && add(object, "name", json_object_new_string(v->name))) ||
	    add(object, "description", json_object_new_string(v->desc)) ||
	    (v->extra & OP_EXTRA_EDGE && add(object, "edge", json_object_new_boolean(1))) ||
	    (v->extra & OP_EXTRA_INV && add(object, "invert", json_object_new_boolean(1))) ||
	    (v->extra & OP_EXTRA_ANY && add(object, "any_thread", json_object_new_boolean(1))) ||
	    (v->extra >> OP_EXTRA_CMASK_SHIFT &&
	     add(object, "cmask", json_object_new_int64(v->extra >> OP_EXTRA_CMASK_SHIFT))) ||
	    (v->config1 && add(object, "config1", json_object_new_uint64(v->config1)))) {
		json_object_put(object);
		return NULL;
	}
	return object;
}

static struct json_object *new_values(const struct op_unit_mask *um)
{
	struct json_object *array = json_object_new_array();
	int err = array ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < um->nr_values && !err; i++)
		err = append(array, new_value(&um->values[i]));
	if (!err)
		return array;
	json_object_put(array);
	return NULL;
}

static struct json_object *new_mask(const struct op_unit_mask *um)
{
	struct json_object *object = json_object_new_object();
	const struct op_um_value *def = op_um_default(um);

	if (!object || add(object, "type", json_object_new_string(help_um_type(um))) ||
	    add(object, "default", json_object_new_int64(def ? def->value : um->default_value)) ||
	    (um->default_name &&
	     add(object, "default_name", json_object_new_string(um->default_name))) ||
	    add(object, "values", new_values(um))) {
		json_object_put(object);
		return NULL;
	}
	return object;
}

static struct json_object *new_event(const struct help_subject *subject,
				     const struct op_event *event)
{
	static const char *const sources[] = {
		[OP_EVENT_CURATED] = "table", [OP_EVENT_PFM] = "libpfm4", [OP_EVENT_RAW] = "raw",
	};
	struct json_object *object = json_object_new_object();

	if (!object || add(object, "name", json_object_new_string(event->name)) ||
	    add(object, "description", json_object_new_string(event->desc)) ||
	    add(object, "code", json_object_new_int64(event->code)) ||
	    (event->ext ? add(object, "ext", json_object_new_string(event->ext)) :
	     add(object, "counters", new_counters(help_counters(subject, event)))) ||
	    add(object, "min_count", json_object_new_int64(help_min_count(subject, event))) ||
	    add(object, "source", json_object_new_string(sources[event->source])) ||
	    add(object, "unit_mask", new_mask(event->unit_mask))) {
		json_object_put(object);
		return NULL;
	}
	return object;
}

static struct json_object *new_events(const struct help_subject *subject)
{
	struct json_object *array = json_object_new_array();
	int err = array ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < subject->nr_events && !err; i++)
		err = append(array, new_event(subject, subject->events[i]));
	if (!err)
		return array;
	json_object_put(array);
	return NULL;
}

static int write_json(FILE *to, const struct help_subject *subject, struct op_message *msg)
{
	const struct op_cpu_desc *cpu = subject->cpu->cpu;
	struct json_object *root = json_object_new_object();
	const char *text = NULL;

	if (root && !add(root, "cpu_type", json_object_new_string(cpu->name)) &&
	    !add(root, "cpu", json_object_new_string(cpu->pretty)) &&
	    !add(root, "note", json_object_new_string(subject->cpu->note)) &&
	    !add(root, "counters", json_object_new_int64(subject->cpu->counters)) &&
	    !add(root, "fixed_counters", json_object_new_int64(subject->cpu->fixed)) &&
	    (!cpu->default_event ||
	     !add(root, "default_event", json_object_new_string(cpu->default_event))) &&
	    !add(root, "events", new_events(subject)))
		text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
						      JSON_C_TO_STRING_SPACED |
						      JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fprintf(to, "%s\n", text);
	json_object_put(root);
	return text ? 0 : op_message_set(msg, -ENOMEM, "%s", strerror(ENOMEM));
}

const struct help_format help_json = { .write = write_json };
