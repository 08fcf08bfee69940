/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h -- checks the arguments of --event against the event tables of this CPU, before the
 * daemon starts.
 */
#ifndef UTILS_OPCONTROL_EVENTS_H
#define UTILS_OPCONTROL_EVENTS_H

#include <stdio.h>

#include "libop/base/reason.h"
#include "libop/event/plan.h"
#include "utils/shared/daemonrc.h"

/* Parse @text, one argument of --event. Return 0 or a negative errno with a message in @error. */
int ctl_event_parse(struct op_event_spec *ret, const char *text, struct op_reason *error);

struct ctl_events {
	struct op_event_plan plan;
	/* reason why the kernel module cannot sample these events; empty: the module can */
	struct op_reason beyond_module;
	/* reason why the events must share counters, and the consequence; empty: each event has a
	 * counter */
	struct op_reason turns;
};

/* Look up the events in the settings @cfg in the event tables of @cpu_type (op_event_plan_make()).
 * If @cfg has no events, use TIMER. Return 0, or a negative errno with a message in @error. */
int ctl_events_check(struct ctl_events *ret, const struct op_settings *cfg, const char *cpu_type,
		     struct op_reason *error);
void ctl_events_release(struct ctl_events *events);

/* Store in @why why the kernel module cannot sample @events; call only for such events. Return
 * -EOPNOTSUPP if the module is @required, otherwise 0. */
int ctl_refuse_module(struct op_reason *why, const struct ctl_events *events, bool required);

/* Print the events that --event accepts on this machine. */
int ctl_events_list(FILE *out, struct op_reason *error);

#endif
