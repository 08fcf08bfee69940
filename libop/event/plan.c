// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plan.c -- lookup of the user's events in the event tables of a CPU.
 */
#include "config.h"
#include "libop/event/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/nearest.h"
#include "libop/event/any_cpu.h"
#include "libop/event/tracepoint.h"

int op_event_parse(struct op_event_spec *ret, const char *text, struct op_reason *error)
{
	int err = op_event_spec_parse(ret, text);
	bool is_kernel_event;

	if (!err || err == -ENOMEM)
		return err;
	/* A software event or tracepoint needs only a count. The count 1 means a sample at each
	 * event. */
	is_kernel_event = op_event_software_find(text) || op_event_name_is_tracepoint(text);
	return op_fail(error, err,
		       "\"%s\": %s. An event is written NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], for "
		       "instance %s%s; see opcontrol --list-events",
		       text, op_strerror(err), is_kernel_event ? text : OP_EVENT_TIMER,
		       is_kernel_event ? ":1" : ":1ms");
}

static bool are_of_any_cpu(const struct op_event_spec *specs, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!op_event_is_of_any_cpu(specs[i].name))
			return false;
	return true;
}

static int find_cpu(struct op_cpu_found *ret, const char *name, const char *event,
		    struct op_reason *error)
{
	struct op_nearest nearest = { .nr = 0 };
	struct op_reason cause = { "" };
	char meant[64];
	int err;

	if (name) {
		const struct op_cpu_desc *cpu = op_cpu_by_name(name);

		if (!cpu)
			return op_fail(error, -EINVAL,
				       "unknown CPU type %s; ophelp --list-cpu-types lists them",
				       name);
		op_cpu_found_set(ret, cpu);
		return 0;
	}
	err = op_cpu_host(ret, &cause);
	if (!err)
		return 0;
	op_nearest_add(&nearest, event, OP_EVENT_TIMER);
	return op_fail(error, err,
		       "event %s cannot be counted here%s: %s. Any CPU can be sampled by time: "
		       "--event=" OP_EVENT_TIMER ":1ms",
		       event, op_nearest_text(&nearest, meant, sizeof(meant)), cause.text);
}

static void classify(struct op_event_plan *plan)
{
	for (size_t i = 0; i < plan->nr; i++) {
		const char *ext = plan->choices[i].event->ext;

		if (!ext)
			plan->counters = true;
		else if (!strcmp(ext, OP_EVENT_EXT_TIMER))
			plan->timer = true;
		else if (!strcmp(ext, OP_EVENT_EXT_SOFTWARE) ||
			 !strcmp(ext, OP_EVENT_EXT_TRACEPOINT))
			plan->software = true;
		else if (op_event_is_made(plan->choices[i].event))
			plan->waits = true;
		else
			plan->records = true;
	}
}

int op_event_plan_make(struct op_event_plan *ret, const struct op_event_spec *specs, size_t nr,
		       const char *cpu_type, struct op_reason *error)
{
	struct op_event_plan plan = { .nr = nr, .choices = calloc(nr, sizeof(*plan.choices)) };
	int err = plan.choices ? 0 : -ENOMEM;

	if (!cpu_type && are_of_any_cpu(specs, nr))
		cpu_type = "timer";
	if (!err)
		err = find_cpu(&plan.cpu, cpu_type, specs[0].name, error);
	if (!err)
		err = op_events_load(&plan.table, plan.cpu.cpu, NULL, error);
	if (!err)
		err = op_events_choose(plan.choices, plan.table, specs, nr, 0,
				       OP_CHOOSE_NO_COUNTERS, error);
	if (!err)
		err = op_events_check_made(plan.choices, nr, error);
	if (err) {
		op_event_plan_release(&plan);
		return err;
	}
	classify(&plan);
	*ret = plan;
	return 0;
}

void op_event_plan_release(struct op_event_plan *plan)
{
	op_event_table_free(plan->table);
	free(plan->choices);
	*plan = (struct op_event_plan){ .nr = 0 };
}
