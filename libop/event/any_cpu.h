/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * any_cpu.h -- events that do not need a counter of the CPU: TIMER, OFFCPU, LATENCY, and the
 * software events of perf_events. Tracepoints (tracepoint.h) do not need one either.
 */
#ifndef OP_EVENT_ANY_CPU_H
#define OP_EVENT_ANY_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/event/event.h"

/* An event of perf_events that exists on all machines, with its name in the perf tool. */
struct op_perf_name {
	const char *name, *other;	/* @other: second name of the event, or NULL */
	/* PERF_TYPE_HARDWARE (the event needs a counter of the CPU) or PERF_TYPE_SOFTWARE */
	uint32_t type;
	uint64_t config;
	/* the event happens only in the kernel: its count in user mode would always be 0 */
	bool in_kernel;
	const char *desc;		/* description of a software event; NULL for other events */
};

/* Return the event whose name is exactly @name, or NULL. */
const struct op_perf_name *op_perf_name_find(const char *name);

/* Return event @i of the table, or NULL if @i is too large. */
const struct op_perf_name *op_perf_name_row(size_t i);

#define OP_EVENT_EXT_TIMER	"timer"	/* value of .ext in struct op_event for the event TIMER */
/* value of .ext in struct op_event for software events */
#define OP_EVENT_EXT_SOFTWARE	"software"

/* value of .ext in struct op_event for the event OFFCPU */
#define OP_EVENT_EXT_OFFCPU	"offcpu"

/* value of .ext in struct op_event for the event LATENCY */
#define OP_EVENT_EXT_LATENCY	"latency"

/* Add TIMER, OFFCPU, LATENCY and the software events to @table. Return 0 or -ENOMEM. */
int op_event_any_cpu_add(struct op_event_table *table);

/* Add an event that needs no counter and has no unit masks to @table, which then owns the event.
 * Set *@ret to the event. Return 0 or -ENOMEM. */
int op_event_any_cpu_add_one(struct op_event **ret, struct op_event_table *table, const char *name,
			     const char *desc, const char *ext);

/* Return the software event that is called @name in the option --event, or NULL. Clocks are not in
 * this list: the event TIMER replaces them. */
const struct op_perf_name *op_event_software_find(const char *name);

/* Return whether the event @name, as users write it, can be sampled without a counter of the
 * CPU. */
bool op_event_is_of_any_cpu(const char *name);

bool op_event_is_software(const struct op_event *event);
/* Waits of threads that usually wait for work, in samples of OFFCPU. */
enum op_idle_wait {
	OP_NOT_IDLE,
	OP_IDLE_POLL,
	OP_IDLE_SLEEP,
	OP_IDLE_CONDITION,
	OP_NR_IDLE_WAITS
};
/* Return the kind of idle wait that samples of @event with the unit mask @um stand for. */
enum op_idle_wait op_event_idle_wait(const char *event, uint32_t um);
/* Return whether @event is OFFCPU. Its unit masks are the numbers of module/uapi/offcpu.h. */
bool op_event_samples_waits(const struct op_event *event);
/* Return whether the profiler makes the samples of @event from other records: OFFCPU, LATENCY. */
bool op_event_is_made(const struct op_event *event);

#endif
