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
	/* .enabled: time for which the counter was enabled; .running: time for which a PMU
	 * counted */
	uint64_t enabled, running;
};

struct count_set {
	const struct count_events *events;
	bool by_cpu;			/* a row is a CPU; false: a row is a thread */
	int *ids;			/* id of the CPU or thread of each row */
	size_t nr_rows, room;
	/* descriptors, indexed by row, event and kind of core; -1: not open */
	int *fds;
	/* values of the last count_set_read(), indexed by row and event */
	struct count_value *last;
	/* the counters count only user mode, because of kernel.perf_event_paranoid */
	bool user_only;
	/* count outside virtual machines only, because the kernel refuses other events */
	bool outside_guests;
};

enum count_inherit {
	COUNT_ALONE,
	COUNT_FAMILY,	/* count also the children and threads that the thread starts from now on */
	COUNT_AT_EXEC,	/* count like COUNT_FAMILY, but only after the thread's next exec */
};

/*
 * Open the counters of @nr threads or CPUs, stopped except for COUNT_AT_EXEC. The first @named
 * threads must exist, others may have ended. A CPU that is offline is an error. @events must
 * outlive the set. Return 0, or a negative errno with a message in @error and nothing open.
 */
int count_set_open_tasks(struct count_set *ret, const struct count_events *events, const pid_t *ids,
			 size_t nr, size_t named, enum count_inherit inherit,
			 struct op_reason *error);
int count_set_open_cpus(struct count_set *ret, const struct count_events *events, const bool *cpus,
			struct op_reason *error);
/* Make a set of one row without counters, for counts of the module. */
int count_set_open_none(struct count_set *ret, const struct count_events *events);
void count_set_close(struct count_set *set);	/* @set may be all zeros */

int count_set_start(struct count_set *set);

/*
 * Read the counts since the last call. The value of row R and event E is values[R * events->nr +
 * E]. Return 0 or a negative errno.
 */
int count_set_read(struct count_set *set, struct count_value *values);

#endif
