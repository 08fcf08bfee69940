// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c -- chosen events against the CPU's tables.
 */
#include "config.h"
#include "utils/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/event/choose.h"
#include "libop/event/for_module.h"
#include "utils/help.h"

static bool only_timer(const struct op_settings *cfg)
{
	for (size_t i = 0; i < cfg->nr_events; i++) {
		if (!op_event_is_timer(cfg->events[i]))
			return false;
	}
	return true;
}

int ctl_event_parse(struct op_event_spec *ret, const char *text, struct op_reason *error)
{
	int err = op_event_spec_parse_named(ret, text);

	if (err)
		return op_fail(error, err, "Option \"--event\": \"%s\": %s. An event is written "
			       "NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], for instance " OP_EVENT_TIMER
			       ":1ms; see opcontrol --list-events", text, op_strerror(err));
	return 0;
}

static void look_at(struct ctl_events *ret, const struct op_event_choice *choices, size_t nr)
{
	struct op_reason beyond = { "" };

	for (size_t i = 0; i < nr; i++) {
		const char *ext = choices[i].event->ext;

		if (!ext)
			ret->counters = true;
		else if (!strcmp(ext, OP_EVENT_EXT_TIMER))
			ret->timer = true;
		else
			ret->records = true;
	}
	op_events_for_module(choices, nr, &beyond);
	snprintf(ret->beyond_module, sizeof(ret->beyond_module), "%s", beyond.text);
}

/* Counters for all, or why some have to take turns. */
static int check_counters(struct ctl_events *ret, struct op_event_choice *choices, size_t nr,
			  const struct op_cpu_found *cpu, struct op_reason *error)
{
	uint64_t available = op_counter_mask(cpu->counters, cpu->fixed);
	struct op_reason clash = { "" }, msg = { "" };
	int err;

	if (!op_events_allocate(choices, nr, available, 0, &clash))
		return 0;
	err = op_events_allocate(choices, nr, available, OP_CHOOSE_GROUPS, &msg);
	if (err)
		return op_fail(error, err, "Option \"--event\": %s.", op_reason_text(&msg, err));
	if (asprintf(&ret->turns, "%s. Together they take turns, and reports scale their counts.",
		     clash.text) < 0) {
		ret->turns = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int check(struct ctl_events *ret, const struct op_event_spec *specs, size_t nr,
		 const struct op_cpu_found *cpu, struct op_reason *error)
{
	struct op_event_choice *choices = calloc(nr, sizeof(*choices));
	struct op_event_table *table = NULL;
	struct op_reason msg = { "" };
	int err;

	if (!choices)
		return -ENOMEM;
	err = op_events_load(&table, cpu->cpu, NULL, &msg);
	if (!err)
		err = op_events_choose(choices, table, specs, nr, 0, OP_CHOOSE_NO_COUNTERS, &msg);
	if (err) {
		op_fail(error, err, "Option \"--event\": %s.", op_reason_text(&msg, err));
	} else {
		look_at(ret, choices, nr);
		err = check_counters(ret, choices, nr, cpu, error);
	}
	op_event_table_free(table);
	free(choices);
	return err;
}

int ctl_events_check(struct ctl_events *ret, const struct op_settings *cfg,
		     const struct op_cpu_found *cpu, struct op_reason *error)
{
	struct ctl_events events = { 0 };
	struct op_event_spec *specs;
	struct op_cpu_found found = { 0 };
	struct op_reason msg = { "" };
	size_t nr = 0;
	int err = 0;

	if (!cfg->nr_events) {
		*ret = (struct ctl_events){ .timer = true };
		return 0;
	}
	specs = calloc(cfg->nr_events, sizeof(*specs));
	if (!specs)
		return -ENOMEM;
	while (!err && nr < cfg->nr_events) {
		err = ctl_event_parse(&specs[nr], cfg->events[nr], error);
		if (!err)
			nr++;
	}
	if (!err && !cpu) {
		cpu = &found;
		if (only_timer(cfg))
			found.cpu = op_cpu_by_number(OP_CPU_TIMER);
		else if ((err = op_cpu_host(&found, &msg)))
			op_fail(error, err, "Option \"--event\": %s cannot be counted here: %s. Any CPU "
				"can be sampled by time: --event=" OP_EVENT_TIMER ":1ms",
				cfg->events[0], msg.text);
	}
	if (!err)
		err = check(&events, specs, nr, cpu, error);
	if (!err)
		snprintf(events.note, sizeof(events.note), "%s", cpu->note);
	while (nr)
		op_event_spec_release(&specs[--nr]);
	free(specs);
	if (err)
		ctl_events_release(&events);
	else
		*ret = events;
	return err;
}

void ctl_events_release(struct ctl_events *events)
{
	free(events->turns);
	events->turns = NULL;
}

int ctl_events_list(FILE *out, struct op_reason *error)
{
	struct op_cpu_found cpu = { 0 };
	struct op_event_table *table;
	struct op_reason msg = { "" };
	struct help_subject subject = { .cpu = &cpu, .min_factor = 1 };
	int err;

	if (op_cpu_host(&cpu, &msg)) {
		/* Every machine can be sampled by time. */
		memset(&cpu, 0, sizeof(cpu));
		cpu.cpu = op_cpu_by_number(OP_CPU_TIMER);
		fprintf(out, "Only sampling by time: %s.\n\n", msg.text);
	} else if (*cpu.note) {
		fprintf(out, "Note: %s.\n\n", cpu.note);
	}
	err = op_events_load(&table, cpu.cpu, NULL, &msg);
	if (err)
		return op_fail(error, err, "%s.", op_reason_text(&msg, err));
	subject.events = (const struct op_event *const *)table->events;
	subject.nr_events = table->nr_events;
	fputs("Written NAME:COUNT[:UNITMASK[:KERNEL[:USER]]] after --event, several times for several "
	      "events.\nOn any machine by time: TIMER:PERIOD, as TIMER:1ms (the default), TIMER:250us or TIMER:4kHz; "
	      "50us to 100ms,\nwhich is 20kHz to 10Hz. --frequency=HZ is a short form of it.", out);
	if (op_default_event(cpu.cpu) && cpu.cpu->number != OP_CPU_TIMER)
		fprintf(out, " A good first one of the counters: %s.", op_default_event(cpu.cpu));
	fputs("\n\n", out);
	err = help_text.write(out, &subject, &msg);
	op_event_table_free(table);
	return err ? op_fail(error, err, "%s.", op_reason_text(&msg, err)) : 0;
}
