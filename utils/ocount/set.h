/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * set.h -- open counters of perf_events: a row for each thread or CPU, with a value for each event.
 */
#ifndef UTILS_OCOUNT_SET_H
#define UTILS_OCOUNT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "utils/ocount/events.h"

/* A count from the kernel; times in ns. */
struct count_value {
	uint64_t count;
	uint64_t enabled, running;	/* enabled, and counting on a PMU */
};

struct count_set {
	const struct count_events *events;
	bool by_cpu;			/* a row is a CPU, else a thread */
	int *ids;			/* the CPU or thread of each row */
	size_t nr_rows, room;
	int *fds;			/* by row, event and kind of core; -1: not open */
	struct count_value *last;	/* by row and event: from the last count_set_read() */
	/* kernel.perf_event_paranoid does not let us count in the kernel */
	bool user_only;
	bool outside_guests;	/* the kernel refuses events that count in virtual machines too */
};

enum count_inherit {
	COUNT_ALONE,
	COUNT_FAMILY,	/* with all that the thread starts from now on */
	COUNT_AT_EXEC,	/* the same, from the thread's next exec on */
};

/*
 * Open the counters of @nr threads or CPUs, stopped except for COUNT_AT_EXEC. The first @named
 * threads must exist, others may have ended. A CPU that is offline is an error. @events must
 * outlive the set. Return 0, or a negative errno with text and nothing open.
 */
int count_set_open_tasks(struct count_set *ret, const struct count_events *events, const pid_t *ids,
			 size_t nr, size_t named, enum count_inherit inherit,
			 struct op_reason *error);
int count_set_open_cpus(struct count_set *ret, const struct count_events *events, const bool *cpus,
			struct op_reason *error);
/* a row that others count */
int count_set_open_none(struct count_set *ret, const struct count_events *events);
void count_set_close(struct count_set *set);	/* or one of zeros */

int count_set_start(struct count_set *set);

/*
 * Read the counts since the last call, by row and event: values[row * events->nr + event]. Return 0
 * or a negative errno.
 */
int count_set_read(struct count_set *set, struct count_value *values);

#endif
