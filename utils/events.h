/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h -- what --event asks for, against what this CPU has: told before anything is started.
 */
#ifndef CTL_EVENTS_H
#define CTL_EVENTS_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "libop/cpu/detect.h"
#include "libop/event/spec.h"
#include "utils/settings.h"

/* One event as written after --event; what is wrong with it as text. */
int ctl_event_parse(struct op_event_spec *ret, const char *text, struct op_reason *error);

/* What the chosen events need. */
struct ctl_events {
	bool timer;		/* some are sampled by time */
	bool counters;		/* some are counted by counters */
	bool records;		/* some come from records of a feature (IBS) */
	char beyond_module[200];	/* why the kernel module cannot sample them; or empty */
	char note[200];		/* when the CPU is not known by name, what that means; or empty */
	char *turns;		/* why they cannot all be counted at once, and what then; or NULL */
};

/*
 * 0, or negative with the cause and the way out. @cpu: whose events; NULL: this machine's. An empty
 * list is TIMER.
 */
int ctl_events_check(struct ctl_events *ret, const struct op_settings *cfg,
		     const struct op_cpu_found *cpu, struct op_reason *error);
void ctl_events_release(struct ctl_events *events);

/* Everything that --event can name here, for people. */
int ctl_events_list(FILE *out, struct op_reason *error);

#endif
