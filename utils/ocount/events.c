// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c -- conversion of --events to perf_event attributes.
 */
#include "config.h"
#include "utils/ocount/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/nearest.h"
#include "libop/event/any_cpu.h"
#include "libop/event/plan.h"
#include "libop/event/tracepoint.h"
#include "libop/perf/counters.h"
#include "libop/perf/filter.h"
#include "utils/shared/perf_event.h"

/* Position of the PMU's type number in the config of a generic event, on a machine with several CPU
 * PMUs (kinds of cores). */
#define PMU_TYPE_SHIFT	32

/* Parse the modifiers of an event name as in perf: "u" (user mode), "k" (kernel mode), or both. */
static int parse_modes(struct count_event *event, const char *modes)
{
	event->user = strchr(modes, 'u');
	event->kernel = strchr(modes, 'k');
	return *modes && !modes[strspn(modes, "uk")] ? 0 : -EINVAL;
}

static void set_generic(struct count_event *event, const struct op_perf_name *found,
			const struct op_perf_kinds *kinds)
{
	bool hardware = found->type == PERF_TYPE_HARDWARE;

	event->in_kernel = found->in_kernel;
	for (size_t k = 0; k < kinds->nr; k++) {
		uint64_t pmu =
			hardware && kinds->nr > 1 ? (uint64_t)kinds->types[k] << PMU_TYPE_SHIFT : 0;

		event->codes[k] = (struct op_perf_code){
			.counted = true, .type = found->type, .config = found->config | pmu,
		};
	}
}

/*
 * Look up a generic event of perf. Return 0, -ENOENT for an unknown name, or another negative errno
 * with a message in @error.
 */
static int find_generic(struct count_event *event, const struct op_perf_kinds *kinds,
			struct op_reason *error)
{
	size_t len = strcspn(event->name, ":");
	char *name = strndup(event->name, len);
	const struct op_perf_name *found = name ? op_perf_name_find(name) : NULL;
	int err = name ? 0 : -ENOMEM;

	free(name);
	if (err || !found)
		return err ? err : -ENOENT;
	event->user = event->kernel = true;
	if (event->name[len] && parse_modes(event, event->name + len + 1))
		return op_fail(error, -EINVAL, "\"%s\": after %s write :u for user code, :k for kernel code, or :uk",
			       event->name, found->name);
	set_generic(event, found, kinds);
	return 0;
}

/* Return whether the event tables of this CPU have an event with the name before the ':' in
 * @text. */
static bool is_in_table(const char *text)
{
	char *name = strndup(text, strcspn(text, ":"));
	struct op_event_table *table = NULL;
	struct op_reason unheard = { "" };
	struct op_cpu_found cpu;
	bool found = false;

	if (name && !op_cpu_host(&cpu, &unheard) &&
	    !op_events_load(&table, cpu.cpu, NULL, &unheard))
		found = op_event_find(table, name);
	op_event_table_free(table);
	free(name);
	return found;
}

/* Look up a tracepoint. Return 0, -ENOENT if the event is not a tracepoint, or another negative
 * errno with a message in @error. */
static int find_tracepoint(struct count_event *event, size_t nr_kinds, struct op_reason *error)
{
	size_t len = op_event_tracepoint_length(event->name);
	struct op_event_spec spec = { .name = NULL };
	struct op_reason cause = { "" };
	uint64_t id = 0;
	char *text;
	int err;

	/* EVENT:MASK of the CPU's event tables has the same syntax as the tracepoint SYSTEM:NAME,
	 * so check whether the name is in the tables. */
	if (!len || (!op_tracepoint_has_system(event->name, NULL) && is_in_table(event->name)))
		return -ENOENT;
	if (event->name[len] == ':')
		return op_fail(error, -EINVAL, "\"%s\": a tracepoint that is counted has no count: "
					       "write %.*s", event->name, (int)len, event->name);
	/* The parser of sampled events, NAME:COUNT, checks the filter. */
	if (asprintf(&text, "%.*s:1%s", (int)len, event->name, event->name + len) < 0)
		return -ENOMEM;
	err = op_event_parse(&spec, text, &cause);
	free(text);
	if (!err)
		err = op_tracepoint_id(&id, spec.name, NULL, &cause);
	if (!err && spec.filter)
		err = op_perf_filter_check(spec.name, id, spec.filter, &cause);
	if (!err) {
		event->filter = spec.filter;
		spec.filter = NULL;
		event->user = event->kernel = true;
		for (size_t k = 0; k < nr_kinds; k++)
			event->codes[k] = op_perf_tracepoint(spec.name, id);
		event->in_kernel = event->codes[0].in_kernel;
	}
	op_event_spec_release(&spec);
	return err ? op_fail(error, err == -ENOENT ? OP_ERR_EVENT_UNKNOWN : err,
			     "cannot count event %s: %s", event->name, op_reason_text(&cause, err)) :
		     0;
}

/* If a perf event has a name similar to @name, store the text " (did you mean ...?)" in @meant.
 * Return @meant. */
static const char *suggest_perf(const char *name, char *meant, size_t size)
{
	struct op_nearest nearest = { .nr = 0 };
	const struct op_perf_name *row;

	for (size_t i = 0; (row = op_perf_name_row(i)); i++)
		op_nearest_add(&nearest, name, row->name);
	return op_nearest_text(&nearest, meant, size);
}

/* Report the first of the events that neither perf nor the event tables of this CPU contain. */
static int fail_unknown(struct op_reason *error, int err, const struct op_event_spec *specs,
			size_t nr)
{
	char meant[200];

	for (size_t i = 0; i < nr; i++)
		if (*suggest_perf(specs[i].name, meant, sizeof(meant)) &&
		    strstr(error->text, specs[i].name) && !strstr(error->text, "did you mean"))
			return op_fail(error, err, "%s%s", error->text, meant);
	return err;
}

/* Report that the CPU has no counters, and list the events that perf can count without counters. */
static int fail_no_counters(struct op_reason *error, const char *name, const char *cause)
{
	char meant[200];

	return op_fail(error, -ENODEV, "cannot count event %s on this machine%s: %s; task-clock, "
				       "page-faults and context-switches can be counted on every "
				       "machine", name, suggest_perf(name, meant, sizeof(meant)), cause);
}

/* Look up the events @specs in the event tables of this CPU. Look up all events together, because
 * they share the counters of the CPU. Store event @specs[i] in events->list[which[i]]. */
static int find_in_table(struct count_events *events, const struct op_event_spec *specs,
			 const size_t *which, size_t nr, const char *sysfs, struct op_reason *note,
			 struct op_reason *error)
{
	struct op_perf_pmus *pmus = calloc(1, sizeof(*pmus));
	struct op_event_plan plan = { .nr = 0 };
	struct op_reason cause = { "" };
	struct op_cpu_found cpu;
	int err = pmus ? 0 : -ENOMEM;

	if (!err && !op_event_is_timer(specs[0].name) && op_counters_find(&cpu, &cause) == -ENODEV)
		err = fail_no_counters(error, specs[0].name, cause.text);
	if (!err)
		err = op_event_plan_make(&plan, specs, nr, NULL, error);
	if (err == OP_ERR_EVENT_UNKNOWN)
		fail_unknown(error, err, specs, nr);
	if (!err && plan.waits)
		err = op_fail(error, -EINVAL, "cannot count the event " OP_EVENT_OFFCPU ", which samples the time that threads "
			      "wait: use operf -e " OP_EVENT_OFFCPU " COMMAND, or count context-switches");
	if (!err)
		err = op_perf_pmus_init(pmus, &plan, sysfs, error);
	for (size_t i = 0; i < nr && !err; i++) {
		struct count_event *event = &events->list[which[i]];

		event->user = specs[i].user;
		event->kernel = specs[i].kernel;
		for (size_t k = 0; k < events->kinds.nr; k++)
			event->codes[k] = pmus->codes[k][i];
	}
	if (!err && *pmus->note)
		op_fail(note, 0, "%s", pmus->note);
	op_event_plan_release(&plan);
	free(pmus);
	return err;
}

static int find_all(struct count_events *events, const char *sysfs, struct op_reason *note,
		    struct op_reason *error)
{
	struct op_event_spec *specs = calloc(events->nr, sizeof(*specs));
	size_t *which = calloc(events->nr, sizeof(*which));
	size_t nr = 0;
	int err = specs && which ? 0 : -ENOMEM;

	for (size_t i = 0; i < events->nr && !err; i++) {
		struct count_event *event = &events->list[i];

		err = find_generic(event, &events->kinds, error);
		if (err == -ENOENT)
			err = find_tracepoint(event, events->kinds.nr, error);
		if (err != -ENOENT)
			continue;
		err = op_event_spec_parse_counted(&specs[nr], event->name);
		if (!err)
			which[nr++] = i;
		else if (err != -ENOMEM)
			op_fail(error, err, "cannot parse event \"%s\": %s; write "
					    "NAME[:UNITMASK[:KERNEL[:USER]]], with a NAME that "
					    "ophelp lists", event->name, op_strerror(err));
	}
	if (!err && nr)
		err = find_in_table(events, specs, which, nr, sysfs, note, error);
	for (size_t i = 0; i < nr; i++)
		op_event_spec_release(&specs[i]);
	free(which);
	free(specs);
	return err;
}

/* Return "NAME:UM:KERNEL:USER" for "NAME:COUNT:UM:KERNEL:USER", malloc'd. */
static char *without_count(const char *event)
{
	size_t name = strcspn(event, ":");
	const char *rest = event[name] ? strchr(event + name + 1, ':') : NULL;
	char *ret;

	return asprintf(&ret, "%.*s%s", (int)name, event, rest ? rest : "") < 0 ? NULL : ret;
}

static char *default_event(struct op_reason *note)
{
	struct op_reason error = { "" };
	const char *event = operf_default_event(&error);

	if (!op_event_is_timer(event))
		return without_count(event);
	op_fail(note, 0, "counting task-clock (CPU time in nanoseconds) instead of events: "
			 "%s", error.text);
	return strdup("task-clock");
}

/* If the user requested a software clock event of perf for user mode only or kernel mode only,
 * store a note in @note: such an event always counts both modes. */
static void note_clocks(const struct count_events *events, struct op_reason *note)
{
	for (size_t i = 0; i < events->nr && !*note->text; i++) {
		const struct count_event *event = &events->list[i];
		const struct op_perf_code *code = &event->codes[0];

		if (code->counted && code->type == PERF_TYPE_SOFTWARE &&
		    event->user != event->kernel &&
		    (code->config == PERF_COUNT_SW_TASK_CLOCK ||
		     code->config == PERF_COUNT_SW_CPU_CLOCK))
			op_fail(note, 0, "%s counts the time in user code and in the kernel together, as the kernel does not separate them",
				event->name);
	}
}

int count_events_find(struct count_events *ret, char *const *words, size_t nr, const char *sysfs,
		      struct op_reason *note, struct op_reason *error)
{
	struct count_events *events = ret;
	int err;

	*events = (struct count_events){ .nr = nr ? nr : 1 };
	events->list = calloc(events->nr, sizeof(*events->list));
	err = events->list ? op_perf_kinds_init(&events->kinds, sysfs, error) : -ENOMEM;
	for (size_t i = 0; i < events->nr && !err; i++) {
		events->list[i].name = nr ? strdup(words[i]) : default_event(note);
		err = events->list[i].name ? 0 : -ENOMEM;
	}
	if (!err)
		err = find_all(events, sysfs, note, error);
	if (!err)
		note_clocks(events, note);
	if (err) {
		count_events_release(events);
		*events = (struct count_events){ .nr = 0 };
	}
	return err;
}

void count_events_release(struct count_events *events)
{
	for (size_t i = 0; events->list && i < events->nr; i++) {
		free(events->list[i].name);
		free(events->list[i].filter);
	}
	free(events->list);
}
