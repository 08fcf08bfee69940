/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * set.h -- a set of perf_events counters: a row for each thread or CPU, with a value for each
 * event.
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
	/* .enabled: time for which the counter was enabled; .running: time for which it was on a
	 * PMU */
	uint64_t enabled, running;
};

struct count_set {
	const struct count_events *events;
	bool by_cpu;			/* a row is a CPU; false: a row is a thread */
	int *ids;			/* id of the CPU or thread of each row */
	size_t nr_rows, room;
	/* descriptors, indexed by row, event and core type; -1: not open */
	int *fds;
	/* values at the last count_set_read(), indexed by row and event */
	struct count_value *last;
	/* the counters count only user mode, because of kernel.perf_event_paranoid */
	bool user_only;
	/* do not count guests of virtual machines, because the kernel refuses events that do */
	bool outside_guests;
};

enum count_inherit {
	COUNT_ALONE,
	/* also count the children and threads that the thread creates from now on */
	COUNT_FAMILY,
	COUNT_AT_EXEC,	/* like COUNT_FAMILY, but start counting at the thread's next exec */
};

/*
 * Open the counters of @nr threads or CPUs, disabled except with COUNT_AT_EXEC. The first @named
 * threads must exist; others may have ended. An offline CPU is an error. @events must outlive the
 * set. Return 0, or a negative errno with a message in @error and nothing open.
 */
int count_set_open_tasks(struct count_set *ret, const struct count_events *events, const pid_t *ids,
			 size_t nr, size_t named, enum count_inherit inherit,
			 struct op_reason *error);
int count_set_open_cpus(struct count_set *ret, const struct count_events *events, const bool *cpus,
			struct op_reason *error);
/* Create a set of one row without counters, for counts of vperfctr.ko. */
int count_set_open_none(struct count_set *ret, const struct count_events *events);
void count_set_close(struct count_set *set);	/* @set may be zeroed */

int count_set_start(struct count_set *set);

/*
 * Read the counts since the last call. The value of row R and event E is values[R * events->nr +
 * E]. Return 0 or a negative errno.
 */
int count_set_read(struct count_set *set, struct count_value *values);

#endif
