// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_event.c -- checks whether perf_events and single events can be used on this machine, and
 * chooses the default event.
 */
#include "config.h"
#include "utils/shared/perf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/nearest.h"
#include "libop/cpu/detect.h"
#include "libop/event/any_cpu.h"
#include "libop/event/plan.h"
#include "libop/event/tracepoint.h"
#include "libop/perf/counters.h"
#include "libop/perf/filter.h"
#include "libop/perf/open.h"

/* Open and close a user-mode event on this process. Return 0 or a positive errno. */
static int try_event(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = op_perf_open(&attr, 0, -1);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

const char *operf_default_event(struct op_reason *error)
{
	static const char timer[] = OP_EVENT_TIMER ":1000000";
	struct op_cpu_found cpu = { 0 };

	if (op_counters_find(&cpu, error))
		return timer;
	if (!op_default_event(cpu.cpu)) {
		op_fail(error, 0, "no default event is known for this CPU");
		return timer;
	}
	return op_default_event(cpu.cpu);
}

/* Refuse perf's software clocks, and suggest the timer event instead. */
static int check_clock(const char *name, struct op_reason *error)
{
	const struct op_perf_name *row = op_perf_name_find(name);

	if (!row || row->type != PERF_TYPE_SOFTWARE)
		return 0;
	return op_fail(error, -EINVAL, "cannot sample %s, which counts time: sample with -e " OP_EVENT_TIMER ":1ms, or count "
		       "with ocount -e %s COMMAND", name, row->name);
}

int operf_check_event(const char *name, const char *by_time, struct op_reason *error)
{
	struct op_nearest nearest = { .nr = 0 };
	struct op_cpu_found cpu = { 0 };
	struct op_reason cause = { "" };
	const struct op_perf_name *row;
	char meant[200];
	int err;

	if (op_event_is_of_any_cpu(name))
		return 0;
	err = check_clock(name, error);
	if (err || op_counters_find(&cpu, &cause) != -ENODEV)
		return err;
	op_nearest_add(&nearest, name, OP_EVENT_TIMER);
	for (size_t i = 0; (row = op_perf_name_row(i)); i++)
		if (op_event_is_of_any_cpu(row->name))
			op_nearest_add(&nearest, name, row->name);
	return op_fail(error, -ENODEV, "cannot sample by event %s on this machine%s: %s; sample by time, as without "
		       "an event: %s", name, op_nearest_text(&nearest, meant, sizeof(meant)), cause.text, by_time);
}

/* Check a tracepoint and its filter. For other events check only the name: oprofiled has their
 * tables. */
static int check_event(const char *text, struct op_reason *error)
{
	struct op_event_spec spec = { .name = NULL };
	struct op_reason cause = { "" };
	uint64_t id = 0;
	char name[64];
	int err;

	if (!op_event_tracepoint_length(text)) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ":"), text);
		return operf_check_event(name, "operf -e " OP_EVENT_TIMER ":1ms COMMAND", error);
	}
	err = op_event_parse(&spec, text, &cause);
	if (!err)
		err = op_tracepoint_id(&id, spec.name, NULL, &cause);
	if (!err && spec.filter)
		err = op_perf_filter_check(spec.name, id, spec.filter, &cause);
	op_event_spec_release(&spec);
	return err ? op_fail(error, err, "option \"--events\": %s", op_reason_text(&cause, err)) : 0;
}

int operf_check_events(const char *events, struct op_reason *error)
{
	int err = 0;

	for (size_t len; !err; events += len + 1) {
		char *event;

		len = op_event_list_length(events);
		event = strndup(events, len);
		err = event ? check_event(event, error) : -ENOMEM;
		free(event);
		if (!events[len])
			break;
	}
	return err;
}

int operf_try_perf_events(struct op_reason *error)
{
	int err = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct op_cpu_found cpu;

	if (err == ENOSYS)
		op_fail(error, err, "this kernel was built without perf_events");
	else if (err == EACCES || err == EPERM)
		op_fail(error, err, "the kernel does not let this user sample: kernel.perf_event_paranoid is above 2, or a "
			"container's rules forbid perf_event_open; try as root");
	else if (err)
		op_fail(error, err, "perf_event_open() failed: %s", strerror(err));
	else
		op_counters_find(&cpu, error);
	return err;
}
