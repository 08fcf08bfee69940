// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * choose.c -- lookup of the user's events and unit masks in the CPU's event table, and allocation
 * of counters.
 */
#include "config.h"
#include "libop/event/choose.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libop/base/error.h"
#include "libop/base/nearest.h"
#include "libop/event/any_cpu.h"
#include "libop/event/counter_alloc.h"
#include "libop/event/file.h"
#include "libop/event/pfm.h"
#include "libop/event/tracepoint.h"

int op_events_load(struct op_event_table **ret, const struct op_cpu_desc *cpu,
		   const char *events_dir, struct op_reason *error)
{
	struct op_event_table *table;
	int err;

	if (cpu->number == OP_CPU_TIMER) {
		table = op_event_table_new(cpu);
		if (!table)
			return -ENOMEM;
	} else {
		err = op_event_file_load(&table, cpu, events_dir, error);
		if (err)
			return err;
		err = op_event_pfm_add(table, error);
		if (err)
			goto err_free;
	}
	err = op_event_any_cpu_add(table);
	if (err)
		goto err_free;
	*ret = table;
	return 0;

err_free:
	op_event_table_free(table);
	return err;
}

const char *op_default_event(const struct op_cpu_desc *cpu)
{
	return cpu->default_event;
}

static int unknown_event(const struct op_event_table *table, const char *name,
			 struct op_reason *error)
{
	struct op_nearest nearest = { .nr = 0 };
	char text[512];

	for (size_t i = 0; i < table->nr_events; i++)
		op_nearest_add(&nearest, name, table->events[i]->name);
	return op_fail(error, OP_ERR_EVENT_UNKNOWN, "%s has no event %s%s; run ophelp for a list "
						    "of events",
		       table->cpu->pretty, name,
		       op_nearest_text(&nearest, text, sizeof(text)));
}

/* Write the values of the unit mask @um, in a list such as "0x01 NAME, 0x02 NAME". Omit values that
 * do not fit. */
static const char *list_values(const struct op_unit_mask *um, char *buffer, size_t size)
{
	size_t i, len = 0;

	buffer[0] = 0;
	for (i = 0; i < um->nr_values && len + 64 < size; i++)
		len += snprintf(buffer + len, size - len, "%s0x%02x%s%s", i ? ", " : "",
				um->values[i].value, um->values[i].name ? " " : "",
				um->values[i].name ? um->values[i].name : "");
	if (i < um->nr_values)
		snprintf(buffer + len, size - len, ", ...");
	return buffer;
}

static int wrong_um(const struct op_event *event, const struct op_event_spec *spec,
		    struct op_reason *error)
{
	struct op_nearest nearest = { .nr = 0 };
	char text[600];

	if (!spec->um_name)
		return op_fail(error, OP_ERR_EVENT_UM, "event %s has no unit mask 0x%02x; its "
						       "unit masks are %s", event->name, spec->um,
			       list_values(event->unit_mask, text, sizeof(text)));
	for (size_t i = 0; i < event->unit_mask->nr_values; i++) {
		if (event->unit_mask->values[i].name)
			op_nearest_add(&nearest, spec->um_name, event->unit_mask->values[i].name);
	}
	if (nearest.nr)
		return op_fail(error, OP_ERR_EVENT_UM, "event %s has no unit mask %s%s",
			       event->name, spec->um_name,
			       op_nearest_text(&nearest, text, sizeof(text)));
	return op_fail(error, OP_ERR_EVENT_UM, "event %s has no unit mask %s; its unit masks are "
					       "%s",
		       event->name, spec->um_name,
		       list_values(event->unit_mask, text, sizeof(text)));
}

/*
 * Return the value of the unit mask @um that the user has chosen by the number @number. Several
 * values may have this number, but different extra bits. If the default value has the number,
 * return it; otherwise return the value without extra bits; otherwise return the first value. In
 * the last case, set *@ambiguous if the values differ: then the user must choose a value by name.
 */
static const struct op_um_value *value_by_number(const struct op_unit_mask *um, uint32_t number,
						 int *ambiguous)
{
	const struct op_um_value *found = NULL, *def = op_um_default(um);

	*ambiguous = 0;
	if (def && def->value == number)
		return def;
	for (size_t i = 0; i < um->nr_values; i++) {
		const struct op_um_value *v = &um->values[i];

		if (v->value != number)
			continue;
		if (!(v->extra & OP_EXTRA_REGISTER) && !v->config1) {
			*ambiguous = 0;
			return v;
		}
		if (!found)
			found = v;
		else if (v->extra != found->extra || v->config1 != found->config1)
			*ambiguous = 1;
	}
	return found;
}

static int resolve_um(struct op_event_choice *choice, const struct op_event_spec *spec,
		      struct op_reason *error)
{
	const struct op_unit_mask *um = choice->event->unit_mask;
	const struct op_um_value *value;
	char text[600];
	int ambiguous;

	if (spec->um_name) {
		value = op_um_value_by_name(um, spec->um_name);
	} else if (!spec->has_um || (!spec->um && !op_um_valid(um, 0))) {
		/* If no value of the unit mask has the number 0, the number 0 means the default
		 * value. */
		value = op_um_default(um);
		if (!value)
			choice->um = um->default_value;
	} else {
		value = value_by_number(um, spec->um, &ambiguous);
		choice->um = spec->um;
		if (ambiguous)
			return op_fail(error, OP_ERR_EVENT_UM, "unit mask 0x%02x of event %s is "
				       "ambiguous: write one of its names, %s",
				       spec->um, choice->event->name,
				       list_values(um, text, sizeof(text)));
	}
	if (value) {
		choice->um = value->value;
		choice->extra = value->extra;
		choice->um_name = value->name;
		choice->config1 = value->config1;
		return 0;
	}
	if (spec->um_name || !op_um_valid(um, choice->um))
		return wrong_um(choice->event, spec, error);
	return 0;
}

/* Resolve an event name that includes the name of a unit mask. The user may also specify a unit
 * mask after the event name, as in OProfile 1.4; then both masks must be the same. */
static int resolve_alias(struct op_event_choice *choice, const struct op_event_spec *spec,
			 const struct op_um_value *um, struct op_reason *error)
{
	if (spec->um_name ? !um->name || strcasecmp(spec->um_name, um->name) :
			    spec->um && spec->um != um->value)
		return op_fail(error, OP_ERR_EVENT_UM,
			       "%s stands for unit mask %s of event %s: write it without a unit "
			       "mask", spec->name,
			       um->name, choice->event->name);
	choice->um = um->value;
	choice->extra = um->extra;
	choice->um_name = um->name;
	choice->config1 = um->config1;
	return 0;
}

static const struct op_event *find_tracepoint(struct op_event_table *table,
					      const struct op_event_spec *spec,
					      struct op_reason *error)
{
	const size_t len = strcspn(spec->name, ":");
	char *first = strndup(spec->name, len);
	const struct op_event *event = first ? op_event_find(table, first) : NULL;

	/* The first word is the name of an event. So the second word is a unit mask, and the user
	 * has forgotten the count between the two words. */
	if (event && !op_tracepoint_has_system(spec->name, table->tracefs)) {
		op_fail(error, OP_ERR_EVENT_UNKNOWN, "\"%s\": write the count of event %s before "
			"its unit mask: %s:COUNT:%s", spec->name, first,
			first, spec->name + len + 1);
		event = NULL;
	} else {
		event = first ? op_tracepoint_find(table, spec->name, error) : NULL;
	}
	free(first);
	return event;
}

int op_event_resolve(struct op_event_choice *ret, struct op_event_table *table,
		     const struct op_event_spec *spec, unsigned int flags, struct op_reason *error)
{
	struct op_event_choice choice = {
		.event = op_event_find(table, spec->name),
		.count = spec->count, .kernel = spec->kernel, .user = spec->user, .counter = -1,
	};
	const struct op_perf_name *software = op_event_software_find(spec->name);
	const struct op_um_value *um = NULL;
	int err;

	if (!choice.event && op_event_name_is_tracepoint(spec->name)) {
		choice.event = find_tracepoint(table, spec, error);
		if (!choice.event)
			return OP_ERR_EVENT_UNKNOWN;
	}
	/* The table contains a software event only under its first name, but the user may have
	 * written its second name. */
	if (!choice.event && software)
		choice.event = op_event_find(table, software->name);
	if (!choice.event)
		choice.event = op_event_alias(table, spec->name, &um);
	if (!choice.event)
		return unknown_event(table, spec->name, error);
	/* the code rNNNN includes the unit mask */
	if (choice.event->source == OP_EVENT_RAW && (spec->um || spec->um_name))
		return op_fail(error, OP_ERR_EVENT_UM,
			       "raw event %s does not take a unit mask: its number "
			       "includes it",
			       choice.event->name);
	err = um ? resolve_alias(&choice, spec, um, error) : resolve_um(&choice, spec, error);
	if (err)
		return err;
	if (!(flags & OP_CHOOSE_ANY_COUNT) && choice.count < choice.event->min_count)
		return op_fail(error, OP_ERR_EVENT_COUNT, "count %" PRIu64 " for event %s is below "
			       "the minimum %" PRIu32 ": use %s:%" PRIu32 " or more",
			       choice.count, choice.event->name, choice.event->min_count,
			       choice.event->name, choice.event->min_count);
	if (!choice.kernel && !choice.user)
		return op_fail(error, OP_ERR_EVENT_CHOICE, "event %s counts neither the kernel nor "
			       "user code: set one of its last two fields to 1",
			       choice.event->name);
	choice.config = op_event_config(table->cpu, choice.event, choice.um, choice.extra);
	*ret = choice;
	return 0;
}

/* Write the names of some of the events, for a message: "A, B:0x01 and C:name". */
static void list_events(const struct op_event_choice *choices, const size_t *which, size_t nr,
			char *buffer, size_t size)
{
	size_t i, len = 0;

	buffer[0] = 0;
	for (i = 0; i < nr && len < size; i++) {
		const struct op_event_choice *c = &choices[which[i]];

		len += snprintf(buffer + len, size - len, "%s%s",
				!i	   ? "" :
				i + 1 < nr ? ", " :
					     " and ",
				c->event->name);
		if (c->event->unit_mask->nr_values < 2 || len >= size)
			continue;
		if (c->um_name)
			len += snprintf(buffer + len, size - len, ":%s", c->um_name);
		else
			len += snprintf(buffer + len, size - len, ":0x%02x", c->um);
	}
}

/* Write a list of counters, for a message: "0, 1 and fixed 2". */
static void list_counters(uint64_t counters, char *buffer, size_t size)
{
	size_t len = 0;

	buffer[0] = 0;
	for (int i = 0; i < OP_MAX_COUNTERS && len < size; i++) {
		uint64_t bit = 1ULL << i, above = i < 63 ? ~0ULL << (i + 1) : 0;

		if (counters & bit)
			len += snprintf(buffer + len, size - len, "%s%s%d",
					!(counters & (bit - 1)) ? "" :
					counters & above ? ", " : " and ",
					i < 32 ? "" : "fixed ", i < 32 ? i : i - 32);
	}
}

static int clash_message(const struct op_event_choice *choices,
			 const struct op_counter_clash *clash, struct op_reason *error)
{
	char events[600], counters[300];

	list_events(choices, clash->events, clash->nr_events, events, sizeof(events));
	list_counters(clash->counters, counters, sizeof(counters));
	if (!clash->counters)
		return op_fail(error, OP_ERR_EVENT_CHOICE,
			       "event %s cannot be counted: this CPU lacks the "
			       "counters that can count it",
			       events);
	return op_fail(error, OP_ERR_EVENT_CHOICE, "events %s cannot be counted together: only "
						   "counter%s %s can count these %zu events; "
						   "count them in separate runs", events,
		       clash->counters & (clash->counters - 1) ? "s" : "", counters,
		       clash->nr_events);
}

/* Return the mask of counters that can count the chosen event. A fixed counter can count only the
 * event's default unit mask. */
static uint64_t allowed_counters(const struct op_event_choice *choice)
{
	const struct op_unit_mask *um = choice->event->unit_mask;
	const struct op_um_value *value = op_um_default(um);

	if (choice->event->source == OP_EVENT_CURATED &&
	    choice->um == (value ? value->value : um->default_value) &&
	    !(choice->extra & OP_EXTRA_REGISTER))
		return choice->event->counters;
	return choice->event->counters & UINT32_MAX;
}

/*
 * Form a group of events that can be counted together, and allocate their counters. The candidates
 * are the first @nr events in @index[]. The group contains the first of them, and each later event
 * that can be counted together with the group so far. Move the remaining events to the start of
 * @index[], in their order, and return their number. Return -EBUSY with @clash if the first event
 * cannot be counted at all.
 */
static int fill_group(struct op_event_choice *choices, size_t *index, size_t nr, uint64_t available,
		      unsigned int group, struct op_counter_clash *clash)
{
	uint64_t allowed[OP_MAX_EVENTS] = { 0 };
	size_t taken[OP_MAX_EVENTS], nr_taken = 0, left = 0, i;
	int counters[OP_MAX_EVENTS] = { 0 }, tried[OP_MAX_EVENTS];

	for (i = 0; i < nr; i++) {
		allowed[nr_taken] = allowed_counters(&choices[index[i]]);
		if (op_counter_alloc(tried, allowed, nr_taken + 1, available, clash)) {
			if (!nr_taken) {
				clash->events[0] = index[i];
				return -EBUSY;
			}
			index[left++] = index[i];
			continue;
		}
		taken[nr_taken++] = index[i];
		memcpy(counters, tried, nr_taken * sizeof(*counters));
	}
	for (i = 0; i < nr_taken; i++) {
		choices[taken[i]].counter = counters[i];
		choices[taken[i]].group = group;
	}
	return (int)left;
}

int op_events_allocate(struct op_event_choice *choices, size_t nr, uint64_t available,
		       unsigned int flags, struct op_reason *error)
{
	uint64_t allowed[OP_MAX_EVENTS] = { 0 };
	size_t index[OP_MAX_EVENTS], nr_allowed = 0, i;
	int counters[OP_MAX_EVENTS], left;
	struct op_counter_clash clash;

	if (nr > OP_MAX_EVENTS)
		return op_fail(error, OP_ERR_EVENT_CHOICE, "too many events");
	for (i = 0; i < nr; i++) {
		choices[i].counter = -1;
		choices[i].group = 0;
		if (choices[i].event->ext)
			continue;
		allowed[nr_allowed] = allowed_counters(&choices[i]);
		index[nr_allowed++] = i;
	}
	if (!op_counter_alloc(counters, allowed, nr_allowed, available, &clash)) {
		for (i = 0; i < nr_allowed; i++)
			choices[index[i]].counter = counters[i];
		return 0;
	}
	for (i = 0; i < clash.nr_events; i++)
		clash.events[i] = index[clash.events[i]];
	if (!(flags & OP_CHOOSE_GROUPS))
		return clash_message(choices, &clash, error);
	left = (int)nr_allowed;
	for (unsigned int group = 0; left; group++) {
		left = fill_group(choices, index, left, available, group, &clash);
		if (left < 0)
			return clash_message(choices, &clash, error);
	}
	return 0;
}

/* Check that two events that a CPU feature (IBS) counts together have the same count and unit
 * mask. */
static int check_ext(const struct op_event_choice *a, const struct op_event_choice *b,
		     struct op_reason *error)
{
	if (!a->event->ext || !b->event->ext || op_event_is_software(a->event) ||
	    op_event_is_tracepoint(a->event) || op_event_is_made(a->event) ||
	    strcmp(a->event->ext, b->event->ext) || (a->count == b->count && a->um == b->um))
		return 0;
	return op_fail(error, OP_ERR_EVENT_CHOICE, "events %s and %s come from the same IBS "
						   "records: give both the same count and the "
						   "same unit mask", a->event->name,
		       b->event->name);
}

int op_events_choose(struct op_event_choice *ret, struct op_event_table *table,
		     const struct op_event_spec *specs, size_t nr, uint64_t available,
		     unsigned int flags, struct op_reason *error)
{
	struct op_event_choice choices[OP_MAX_EVENTS];
	int err;

	if (nr > OP_MAX_EVENTS)
		return op_fail(error, OP_ERR_EVENT_CHOICE, "%zu events are too many: the limit is "
							   "%d", nr, OP_MAX_EVENTS);
	for (size_t i = 0; i < nr; i++) {
		err = op_event_resolve(&choices[i], table, &specs[i], flags, error);
		if (err)
			return err;
		for (size_t j = 0; j < i; j++) {
			if (choices[j].event == choices[i].event &&
			    choices[j].um == choices[i].um &&
			    choices[j].extra == choices[i].extra &&
			    choices[j].config1 == choices[i].config1)
				return op_fail(error, OP_ERR_EVENT_CHOICE, "event %s with unit "
					"mask 0x%02x is given twice: remove one of "
					"them", choices[i].event->name, choices[i].um);
			err = check_ext(&choices[j], &choices[i], error);
			if (err)
				return err;
		}
	}
	if (!(flags & OP_CHOOSE_NO_COUNTERS)) {
		err = op_events_allocate(choices, nr, available, flags, error);
		if (err)
			return err;
	}
	if (nr)
		memcpy(ret, choices, nr * sizeof(*ret));
	return 0;
}

static bool same_word(const struct op_um_value *v, uint32_t um, uint32_t extra)
{
	return v->value == um && (v->extra & OP_EXTRA_REGISTER) == (extra & OP_EXTRA_REGISTER);
}

uint32_t op_choice_um_word(const struct op_event_choice *choice)
{
	const struct op_unit_mask *um = choice->event->unit_mask;
	uint32_t ordinal = 0;
	size_t i;

	for (i = 0; i < um->nr_values; i++) {
		if (!same_word(&um->values[i], choice->um, choice->extra))
			continue;
		if (um->values[i].config1 == choice->config1)
			break;
		ordinal++;
	}
	if (i == um->nr_values)
		ordinal = 0;	/* the chosen number combines several values of the unit mask */
	return (choice->um & 0xff) | (ordinal & 0xff) << 8 | (choice->extra & OP_EXTRA_REGISTER);
}

const struct op_um_value *op_um_from_word(const struct op_event *event, uint32_t word, uint32_t *um,
					  uint32_t *extra)
{
	const struct op_unit_mask *mask = event->unit_mask;
	uint32_t ordinal = word >> 8 & 0xff;

	*um = word & 0xff;
	*extra = word & OP_EXTRA_REGISTER;
	for (size_t i = 0; i < mask->nr_values; i++) {
		if (same_word(&mask->values[i], *um, *extra) && !ordinal--)
			return &mask->values[i];
	}
	return NULL;
}

void op_choice_text(const struct op_event_choice *choice, char *text, size_t size)
{
	char number[16];

	snprintf(number, sizeof(number), choice->um ? "0x%02" PRIx32 : "%" PRIu32, choice->um);
	snprintf(text, size, "%s:%" PRIu64 ":%s:%d:%d", choice->event->name, choice->count,
		 choice->um_name ? choice->um_name : number, choice->kernel, choice->user);
}

/* Return whether two letters are equal. Ignore case, and treat all separators of words as equal,
 * because perf writes names like l2_rqsts.demand_data_rd_hit. */
static bool same_letter(char a, char b)
{
	return toupper((unsigned char)a) == toupper((unsigned char)b) || (a == '.' && b == '_');
}

static bool is_beginning(const char *name, const char *of)
{
	for (; *of; name++, of++)
		if (!*name || !same_letter(*name, *of))
			return false;
	return true;
}

/* Names that Intel's event lists use as a unit mask for an event that has no unit masks. */
static const struct {
	const char *name, *event;
} plain[] = {
	{ "CPU_CLK_UNHALTED_THREAD", "CPU_CLK_UNHALTED" },
	{ "CPU_CLK_UNHALTED_THREAD_P", "CPU_CLK_UNHALTED" },
	{ "CPU_CLK_UNHALTED_REF_TSC", "UNHALTED_REFERENCE_CYCLES" },
	{ "INST_RETIRED_ANY", "INST_RETIRED" },
	{ "INST_RETIRED_ANY_P", "INST_RETIRED" },
};

static const struct op_event *find_plain(const struct op_event_table *table, const char *name)
{
	for (size_t p = 0; p < sizeof(plain) / sizeof(plain[0]); p++) {
		if (strlen(name) != strlen(plain[p].name) || !is_beginning(name, plain[p].name))
			continue;
		for (size_t i = 0; i < table->nr_events; i++)
			if (!strcmp(table->events[i]->name, plain[p].event))
				return table->events[i];
	}
	return NULL;
}

const struct op_event *op_event_alias(const struct op_event_table *table, const char *name,
				      const struct op_um_value **ret_um)
{
	const struct op_event *found = NULL;
	size_t found_len = 0;

	for (size_t i = 0; i < table->nr_events; i++) {
		const struct op_event *event = table->events[i];
		size_t len = strlen(event->name);
		const struct op_um_value *um = NULL;

		/* Of all matching event names, choose the longest: L1D_PEND_MISS, not L1D. */
		if (len <= found_len || !is_beginning(name, event->name))
			continue;
		if (name[len] == '_' || name[len] == '.') {
			um = op_um_value_by_name(event->unit_mask, name + len + 1);
			if (!um)
				continue;
		} else if (name[len]) {
			continue;
		}
		found = event;
		found_len = len;
		*ret_um = um;
	}
	if (found)
		return found;
	found = find_plain(table, name);
	if (found)
		*ret_um = NULL;
	return found;
}

static const struct op_event_choice *find_event(const struct op_event_choice *choices, size_t nr,
						 const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(choices[i].event->name, name))
			return &choices[i];
	return NULL;
}

/* Samples of LATENCY are samples of TIMER, and records of context switches, which OFFCPU needs,
 * show which threads run. */
static int check_latency(const struct op_event_choice *choices, size_t nr, struct op_reason *error)
{
	const struct op_event_choice *latency = find_event(choices, nr, OP_EVENT_LATENCY);
	const struct op_event_choice *timer = find_event(choices, nr, OP_EVENT_TIMER);

	if (!latency)
		return 0;
	if (!timer || !find_event(choices, nr, OP_EVENT_OFFCPU))
		return op_fail(error, OP_ERR_EVENT_CHOICE,
			       "event " OP_EVENT_LATENCY " needs the events " OP_EVENT_TIMER
			       " and " OP_EVENT_OFFCPU ": use --wall=latency");
	if (latency->count != timer->count)
		return op_fail(error, OP_ERR_EVENT_CHOICE,
			       "events " OP_EVENT_LATENCY " and " OP_EVENT_TIMER
			       " need the same count, not %" PRIu64 " and %" PRIu64,
			       latency->count, timer->count);
	if (!latency->kernel || !latency->user)
		return op_fail(error, OP_ERR_EVENT_CHOICE,
			       "event " OP_EVENT_LATENCY " does not take the fields KERNEL and USER");
	return 0;
}

int op_events_check_made(const struct op_event_choice *choices, size_t nr, struct op_reason *error)
{
	const struct op_event_choice *first = NULL;

	for (size_t i = 0; i < nr; i++) {
		const struct op_event_choice *c = &choices[i];

		if (!op_event_samples_waits(c->event))
			continue;
		if (!c->kernel || !c->user)
			return op_fail(error, OP_ERR_EVENT_CHOICE,
				       "event %s does not take the fields KERNEL and USER",
				       c->event->name);
		if (first && first->count != c->count)
			return op_fail(error, OP_ERR_EVENT_CHOICE,
				       "all events %s need the same count, not %" PRIu64
				       " and %" PRIu64, c->event->name, first->count, c->count);
		first = c;
	}
	return check_latency(choices, nr, error);
}

int op_events_for_module(const struct op_event_choice *choices, size_t nr, struct op_reason *error)
{
	size_t nr_made = 0;

	for (size_t i = 0; i < nr; i++)
		nr_made += op_event_is_made(choices[i].event);
	for (size_t i = 0; i < nr; i++) {
		const struct op_event *event = choices[i].event;

		if (nr - nr_made > 1 && event->ext && !strcmp(event->ext, OP_EVENT_EXT_TIMER))
			return op_fail(error, OP_ERR_EVENT_CHOICE,
				       OP_EVENT_TIMER " and other events cannot "
						      "be sampled together by the kernel module");
		if (op_event_is_software(event) || op_event_is_tracepoint(event))
			return op_fail(error, OP_ERR_EVENT_CHOICE,
				       "%s is a %s, which the kernel module does not sample",
				       event->name,
				       op_event_is_software(event) ? "software event" :
								     "tracepoint");
		if (choices[i].config1)
			return op_fail(error, OP_ERR_EVENT_CHOICE,
				       "event %s needs a register that the "
				       "kernel module does not set",
				       event->name);
	}
	if (nr > OP_MODULE_EVENTS)
		return op_fail(error, OP_ERR_EVENT_CHOICE,
			       "the kernel module samples at most %d events", OP_MODULE_EVENTS);
	return 0;
}
