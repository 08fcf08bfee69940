// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operf_event.c -- whether the kernel samples for us, and by which event.
 */
#include "config.h"
#include "utils/operf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/nearest.h"
#include "libop/cpu/detect.h"
#include "libop/event/choose.h"
#include "libop/perf/open.h"

/* Opens an event on ourselves, user code only, and closes it. 0 or an errno. */
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

const char *operf_default_event(struct op_reason *why)
{
	static const char timer[] = OP_EVENT_TIMER ":1000000";
	struct op_cpu_found cpu = { 0 };

	if (op_cpu_host(&cpu, why))
		return timer;
	if (!op_default_event(cpu.cpu)) {
		op_fail(why, 0, "there is no event for this CPU");
		return timer;
	}
	if (try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)) {
		op_fail(why, 0, "the kernel has no counters of the CPU for us (a virtual machine often has none)");
		return timer;
	}
	return op_default_event(cpu.cpu);
}

int operf_check_events(const char *events, struct op_reason *error)
{
	static const char timer[] = OP_EVENT_TIMER;
	struct op_nearest nearest = { .nr = 0 };
	struct op_cpu_found cpu = { 0 };
	struct op_reason cause = { "" };
	char name[64], meant[64];

	/* The first that is none by time. */
	while (!strncmp(events, timer, sizeof(timer) - 1) && strchr(":,", events[sizeof(timer) - 1])) {
		events += strcspn(events, ",");
		if (!*events++)
			return 0;
	}
	if (!op_cpu_host(&cpu, &cause))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(events, ":,"), events);
	op_nearest_add(&nearest, name, timer);
	return op_fail(error, -ENODEV, "The event %s cannot be counted here%s: %s. Any CPU can be sampled by time, which "
		       "is what operf does without an event: operf -e " OP_EVENT_TIMER ":1ms COMMAND says how often.",
		       name, op_nearest_text(&nearest, meant, sizeof(meant)), cause.text);
}

int operf_try_perf_events(struct op_reason *why)
{
	int err = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);

	if (err == ENOSYS)
		op_fail(why, err, "this kernel was built without perf_events");
	else if (err == EACCES || err == EPERM)
		op_fail(why, err, "the kernel does not let this user sample: kernel.perf_event_paranoid is above 2, or a "
			"container's rules forbid perf_event_open; as root it may go");
	else if (err)
		op_fail(why, err, "perf_event_open: %s", strerror(err));
	return err;
}
