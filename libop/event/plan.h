/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h -- the events that somebody asks for, against the CPU they are for: the one way from words to codes.
 *
 * opcontrol makes a plan to tell what is wrong before it remembers or starts anything, and to choose who samples;
 * oprofiled makes the plan that it samples by, of the same words, and gives its events the counters that there are.
 */
#ifndef OP_EVENT_PLAN_H
#define OP_EVENT_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/cpu/detect.h"
#include "libop/event/choose.h"

struct op_event_plan {
	struct op_cpu_found cpu;		/* whose events they are; a "timer" CPU's when none needs a counter */
	struct op_event_table *table;		/* that choices point into */
	struct op_event_choice *choices;	/* one for each that was asked for, without counters */
	size_t nr;
	/* Whether some are sampled by time, by counters, from records of a feature (IBS), by the kernel's software. */
	bool timer, counters, records, software;
};

/* As written after --event. 0, -ENOMEM or OP_ERR_EVENT_*. */
int op_event_parse(struct op_event_spec *ret, const char *text, struct op_reason *why);

/* At least one event. @cpu_type: the name of a CPU's tables; NULL: this machine's. 0, or negative. */
int op_event_plan_make(struct op_event_plan *ret, const struct op_event_spec *specs, size_t nr,
		       const char *cpu_type, struct op_reason *why);
void op_event_plan_release(struct op_event_plan *plan);	/* or one of zeros */

#endif
