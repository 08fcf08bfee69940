/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h -- checks of --event against the event tables of this CPU, before the daemon starts.
 */
#ifndef UTILS_OPCONTROL_EVENTS_H
#define UTILS_OPCONTROL_EVENTS_H

#include <stdio.h>

#include "libop/base/reason.h"
#include "libop/event/plan.h"
#include "utils/shared/daemonrc.h"

/* Parse one event of --event. Return 0 or a negative errno with a message in @error. */
int ctl_event_parse(struct op_event_spec *ret, const char *text, struct op_reason *error);

struct ctl_events {
	struct op_event_plan plan;
	/* why the kernel module cannot sample these events; empty: it can */
	struct op_reason beyond_module;
	/* why the events must be multiplexed, and the effect; empty: not multiplexed */
	struct op_reason turns;
};

/* Look up the events of the settings @cfg in the tables of @cpu_type (op_event_plan_make()). If
 * @cfg has no event, use TIMER. Return 0, or a negative errno with a message in @error. */
int ctl_events_check(struct ctl_events *ret, const struct op_settings *cfg, const char *cpu_type,
		     struct op_reason *error);
void ctl_events_release(struct ctl_events *events);

/* Print the events that --event accepts on this machine. */
int ctl_events_list(FILE *out, struct op_reason *error);

#endif
