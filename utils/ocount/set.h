/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * set.h -- a set of perf_events counters. It has a row for each thread or CPU, and each row has a
 * counter for each event.
 */
#ifndef UTILS_OCOUNT_SET_H
#define UTILS_OCOUNT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "utils/ocount/events.h"

/* A count as read from the kernel; times in ns. */
struct count_value {
	uint64_t count;
	/* .enabled: time for which the counter was enabled; .running: time for which it counted on
	 * a PMU */
	uint64_t enabled, running;
};

struct count_set {
	const struct count_events *events;
	bool by_cpu;			/* true: each row is a CPU; false: each row is a thread */
	int *ids;			/* id of the CPU or thread of each row */
	size_t nr_rows, room;
	/* descriptors of the counters, indexed by row, event and core type; -1: the counter is not
	 * open */
	int *fds;
	/* values that the last count_set_read() has read, indexed by row and event */
	struct count_value *last;
	/* whether the kernel lets this user count only user mode (kernel.perf_event_paranoid) */
	bool user_only;
	/* whether to exclude guests of virtual machines, because the kernel refuses to open events
	 * that count guests */
	bool outside_guests;
};

enum count_inherit {
	COUNT_ALONE,
	/* also count the threads and child processes that the thread creates from now on */
	COUNT_FAMILY,
	COUNT_AT_EXEC,	/* like COUNT_FAMILY, but start counting at the thread's next exec */
};

/*
 * Open the counters of @nr threads or CPUs. The counters are disabled; with COUNT_AT_EXEC, an exec
 * enables them. The first @named threads must exist; other threads may have ended. An offline CPU
 * is an error.
 * @events must outlive the set. Return 0, or a negative errno with a message in @error and no
 * counter open.
 */
int count_set_open_tasks(struct count_set *ret, const struct count_events *events, const pid_t *ids,
			 size_t nr, size_t named, enum count_inherit inherit,
			 struct op_reason *error);
int count_set_open_cpus(struct count_set *ret, const struct count_events *events, const bool *cpus,
			struct op_reason *error);
/* Create a set with one row and without perf_events counters, to store counts of vperfctr.ko. */
int count_set_open_empty(struct count_set *ret, const struct count_events *events);
/* Close all counters of @set, which may be zeroed. */
void count_set_close(struct count_set *set);

int count_set_start(struct count_set *set);

/*
 * Read the counts since the last call. Store the count of row R and event E in values[R *
 * events->nr + E]. Return 0 or a negative errno.
 */
int count_set_read(struct count_set *set, struct count_value *values);

#endif
