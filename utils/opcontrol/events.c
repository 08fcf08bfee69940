// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c -- checks the arguments of --event against the event tables of this CPU.
 */
#include "config.h"
#include "utils/opcontrol/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/event/choose.h"
#include "libop/perf/counters.h"
#include "libop/perf/filter.h"
#include "utils/shared/perf_event.h"
#include "utils/ophelp/list.h"

int ctl_event_parse(struct op_event_spec *ret, const char *text, struct op_reason *error)
{
	struct op_reason cause = { "" };
	int err = op_event_parse(ret, text, &cause);

	return err ? op_fail(error, err, "option \"--event\": %s", op_reason_text(&cause, err)) : 0;
}

/* Check whether the CPU has enough counters for all events at the same time. If not, the kernel
 * multiplexes the events on the counters: store the reason in events->turns. */
static int check_counters(struct ctl_events *events, struct op_reason *error)
{
	const struct op_event_plan *plan = &events->plan;
	uint64_t available = op_counter_mask(plan->cpu.counters, plan->cpu.fixed);
	struct op_reason cause = { "" };
	int err;

	if (!op_events_allocate(plan->choices, plan->nr, available, 0, &events->turns))
		return 0;
	err = op_events_allocate(plan->choices, plan->nr, available, OP_CHOOSE_GROUPS, &cause);
	if (err)
		return op_fail(error, err, "option \"--event\": %s", op_reason_text(&cause, err));
	return op_fail(&events->turns, 0, "%s; if they are sampled together, each event is "
					  "counted for a part of the time, and reports scale the "
					  "counts",
		       events->turns.text);
}

static int parse(struct op_event_spec *specs, size_t *nr, const struct op_settings *cfg,
		 struct op_reason *error)
{
	int err = 0;

	if (!cfg->nr_events)
		err = ctl_event_parse(&specs[(*nr)++], OP_EVENT_TIMER ":1ms", error);
	while (!err && *nr < cfg->nr_events) {
		err = ctl_event_parse(&specs[*nr], cfg->events[*nr], error);
		*nr += !err;
	}
	return err;
}

/* Refuse events that this machine cannot count. Skip this check if @cpu_type is not the type of
 * this machine's CPU. */
static int check_machine(const struct op_event_spec *specs, size_t nr, const char *cpu_type,
			 struct op_reason *error)
{
	struct op_reason cause = { "" };

	for (size_t i = 0; i < nr && !cpu_type; i++) {
		int err = operf_check_event(specs[i].name, "--event=" OP_EVENT_TIMER ":1ms", &cause);

		if (err)
			return op_fail(error, err, "option \"--event\": %s", cause.text);
	}
	return 0;
}

int ctl_events_check(struct ctl_events *ret, const struct op_settings *cfg, const char *cpu_type,
		     struct op_reason *error)
{
	struct op_event_spec *specs = calloc(cfg->nr_events + 1, sizeof(*specs));
	struct ctl_events events = { .plan.nr = 0 };
	struct op_reason cause = { "" };
	size_t nr = 0;
	int err = specs ? parse(specs, &nr, cfg, error) : -ENOMEM;

	if (!err)
		err = check_machine(specs, nr, cpu_type, error);
	if (!err) {
		err = op_event_plan_make(&events.plan, specs, nr, cpu_type, &cause);
		if (err)
			op_fail(error, err, "option \"--event\": %s", op_reason_text(&cause, err));
	}
	if (!err) {
		err = op_perf_filters_check(specs, events.plan.choices, nr, &cause);
		if (err)
			op_fail(error, err, "option \"--filter\": %s", op_reason_text(&cause, err));
	}
	if (!err)
		err = check_counters(&events, error);
	if (!err)
		op_events_for_module(events.plan.choices, nr, &events.beyond_module);
	while (nr)
		op_event_spec_release(&specs[--nr]);
	free(specs);
	if (err)
		ctl_events_release(&events);
	else
		*ret = events;
	return err;
}

int ctl_refuse_module(struct op_reason *why, const struct ctl_events *events, bool required)
{
	const char *beyond = events->beyond_module.text;

	if (!required)
		return op_fail(why, 0, "%s", beyond);
	return op_fail(why, -EOPNOTSUPP, "option \"--event\": %s; --source=perf can sample it",
		       beyond);
}

void ctl_events_release(struct ctl_events *events)
{
	op_event_plan_release(&events->plan);
}

int ctl_events_list(FILE *out, struct op_reason *error)
{
	struct op_cpu_found cpu = { 0 };
	struct op_event_table *table;
	struct op_reason cause = { "" };
	struct help_subject subject = { .cpu = &cpu, .min_factor = 1 };
	int err;

	if (op_counters_find(&cpu, &cause) == -ENODEV) {
		/* Without hardware counters, list the events that every machine can sample: timer
		 * events. */
		memset(&cpu, 0, sizeof(cpu));
		cpu.cpu = op_cpu_by_number(OP_CPU_TIMER);
		fprintf(out, "This machine can sample only by time: %s.\n\n", cause.text);
	} else if (*cpu.note) {
		fprintf(out, "Note: %s.\n\n", cpu.note);
	}
	err = op_events_load(&table, cpu.cpu, NULL, &cause);
	if (err)
		return op_fail(error, err, "%s", op_reason_text(&cause, err));
	subject.events = (const struct op_event *const *)table->events;
	subject.nr_events = table->nr_events;
	fputs("Write --event=NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], once for each event.\nTo "
	      "sample by time, on any machine, write --event=TIMER:PERIOD with 50us to 100ms, or "
	      "20kHz to 10Hz, as\nTIMER:1ms (the default), TIMER:250us or TIMER:4kHz. "
	      "--frequency=HZ is a short form of TIMER.", out);
	if (op_default_event(cpu.cpu) && cpu.cpu->number != OP_CPU_TIMER)
		fprintf(out, " To begin with the counters, use %s.", op_default_event(cpu.cpu));
	fputs("\n\n", out);
	err = help_text.write(out, &subject, &cause);
	op_event_table_free(table);
	return err ? op_fail(error, err, "%s", op_reason_text(&cause, err)) : 0;
}
