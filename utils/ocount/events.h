/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h -- from the words of --events to what perf_events is asked for.
 */
#ifndef UTILS_OCOUNT_EVENTS_H
#define UTILS_OCOUNT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"
#include "libop/perf/pmus.h"

struct count_event {
	char *name;		/* as the user wrote it */
	bool user, kernel;	/* whose events are counted */
	bool in_kernel;		/* there are none in user code */
	struct op_perf_code codes[OP_PERF_MAX_PMUS];	/* by kind of core */
};

struct count_events {
	struct count_event *list;
	size_t nr;
	struct op_perf_kinds kinds;
};

/*
 * An event is NAME[:UM[:KERNEL[:USER]]] of the CPU's table, or a name of perf's with :u, :k or :uk behind it. Without
 * any: the CPU's default event where the kernel counts for us, else task-clock, and @note says why. @sysfs: "/sys".
 * 0, or negative with @why.
 */
int count_events_find(struct count_events *ret, char *const *words, size_t nr, const char *sysfs,
		      struct op_reason *note, struct op_reason *error);
void count_events_release(struct count_events *events);	/* or one of zeros */

#endif
