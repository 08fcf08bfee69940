/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h -- a plan: the user's events, with their codes for a CPU. All programs create a plan to
 * translate event names into codes.
 *
 * opcontrol creates a plan to report errors before it stores or starts anything, and to choose the
 * source of samples. oprofiled creates a plan from the same text, and allocates counters to the
 * plan's events.
 */
#ifndef OP_EVENT_PLAN_H
#define OP_EVENT_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/cpu/detect.h"
#include "libop/event/choose.h"

struct op_event_plan {
	/* CPU whose events are used; "timer" if no event needs a counter */
	struct op_cpu_found cpu;
	struct op_event_table *table;		/* table of events to which .choices point */
	/* for each of the user's events, its code and unit mask; counters are not allocated yet */
	struct op_event_choice *choices;
	size_t nr;
	/*
	 * The sources of samples for the events; several members may be true. .timer: time;
	 * .counters: counters of the CPU; .records: a CPU feature (IBS); .software: software events
	 * or tracepoints; .waits: context switches.
	 */
	bool timer, counters, records, software, waits;
};

/* Parse @text, an event in the form of the option --event. Return 0, -ENOMEM or OP_ERR_EVENT_*. */
int op_event_parse(struct op_event_spec *ret, const char *text, struct op_reason *error);

/* Make a plan of at least one event. @cpu_type: name of a CPU type whose tables to use; NULL: this
 * machine's CPU. Return 0, or an error with a message. */
int op_event_plan_make(struct op_event_plan *ret, const struct op_event_spec *specs, size_t nr,
		       const char *cpu_type, struct op_reason *error);
/* Free the plan's members. @plan may be all zeros. */
void op_event_plan_release(struct op_event_plan *plan);

#endif
