/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * set.h -- the counters of perf_events that are open: for each thread or CPU a row, in it each event.
 */
#ifndef UTILS_OCOUNT_SET_H
#define UTILS_OCOUNT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "utils/ocount/events.h"

/* As the kernel tells it; times in ns. */
struct count_value {
	uint64_t count;
	uint64_t enabled, running;	/* how long it was wanted, and how long it had a counter */
};

struct count_set {
	const struct count_events *events;
	bool by_cpu;			/* a row is a CPU, else a thread */
	int *ids;			/* the CPU or thread of each row */
	size_t nr_rows, room;
	int *fds;			/* by row, event and kind of core; -1: none */
	struct count_value *last;	/* by row and event: what the last count_set_read() saw */
	bool user_only;			/* kernel.perf_event_paranoid does not let us count in the kernel */
	bool outside_guests;	/* the kernel refuses events that count in virtual machines too */
};

enum count_inherit {
	COUNT_ALONE,
	COUNT_FAMILY,	/* with all that the thread starts from now on */
	COUNT_AT_EXEC,	/* the same, from the thread's next exec on */
};

/*
 * Opens the counters, stopped but for COUNT_AT_EXEC, of @nr threads or CPUs. Of threads the first @named must be
 * there, the others may have ended. A CPU that is offline is an error too. @events outlives the set. 0, or negative
 * with @why, and nothing is open.
 */
int count_set_open_tasks(struct count_set *ret, const struct count_events *events, const pid_t *ids, size_t nr,
			 size_t named, enum count_inherit inherit, struct op_reason *error);
int count_set_open_cpus(struct count_set *ret, const struct count_events *events, const bool *cpus,
			struct op_reason *error);
int count_set_open_none(struct count_set *ret, const struct count_events *events);	/* a row that others count */
void count_set_close(struct count_set *set);	/* or one of zeros */

int count_set_start(struct count_set *set);

/* What was counted since the last time, by row and event: values[row * events->nr + event]. 0 or negative errno. */
int count_set_read(struct count_set *set, struct count_value *values);

#endif
