/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h -- conversion of --events to perf_event attributes.
 */
#ifndef UTILS_OCOUNT_EVENTS_H
#define UTILS_OCOUNT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"
#include "libop/perf/pmus.h"

struct count_event {
	char *name;		/* name of the event as the user wrote it */
	bool user, kernel;	/* count in user mode; count in the kernel */
	/* whether the event (such as a tracepoint) can occur only in kernel mode */
	bool in_kernel;
	char *filter;		/* filter of a tracepoint; NULL: no filter */
	/* PMU and config of the event, one for each kind of core */
	struct op_perf_code codes[OP_PERF_MAX_PMUS];
};

struct count_events {
	struct count_event *list;
	size_t nr;
	struct op_perf_kinds kinds;
};

/*
 * Look up the events of --events. An event is NAME[:UM[:KERNEL[:USER]]] of the CPU's table, a name
 * of perf that may end in :u, :k or :uk, or a tracepoint SYSTEM:NAME, which a filter may follow
 * (libop/event/spec.h). If @words is empty, use the CPU's default event; if the kernel does not let
 * this user count it, use task-clock and store the cause in @note. @sysfs: "/sys". Return 0, or a
 * negative errno with a message in @error.
 */
int count_events_find(struct count_events *ret, char *const *words, size_t nr, const char *sysfs,
		      struct op_reason *note, struct op_reason *error);
/* Free the contents of @events, which may be zeroed. */
void count_events_release(struct count_events *events);

#endif
