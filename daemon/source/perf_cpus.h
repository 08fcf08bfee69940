/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_cpus.h -- the CPUs on which perf_events are open: opens, closes, watches, enables and
 * disables the events, and reads the numbers of lost samples. The owner of the struct reads the
 * rings.
 */
#ifndef OPD_PERF_CPUS_H
#define OPD_PERF_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/perf_plan.h"

struct opd_perf_cpus {
	const struct opd_perf_plan *plan;
	/* CPUs with open events, in no particular order */
	struct opd_perf_cpu **cpus;
	/* rings of CPU .cpus[i]: samples, notices (fork, exec, mmap, exit records), and context
	 * switches */
	struct opd_perf_ring **samples, **notices, **switches;
	size_t nr, max;
	struct op_online_cpus online;
	/* times of each configured event, summed over all CPUs */
	struct opd_perf_times *times;
	/* epoll descriptor for the rings and for the descriptors of opd_perf_cpus_watch() */
	int epoll_fd;
	/* time of the next change of timer periods; CLOCK_MONOTONIC_RAW, ns */
	uint64_t next_turn;
	/* sampling is on: the events of a new CPU are enabled immediately */
	bool enabled;
	/* number of samples that the kernel lost because a ring was full */
	uint64_t lost;
	/* number of records of context switches that the kernel lost because a ring was full */
	uint64_t lost_switches;
	/* number of invalid records in the rings of removed CPUs */
	uint64_t bad;
	/* number of samples of removed CPUs whose copied stacks were shortened because memory was
	 * short */
	uint64_t shortened;
};

/* Initialize @c. The caller may set the members of @plan later; @plan must outlive @c. Return 0 or
 * a negative errno. */
int opd_perf_cpus_init(struct opd_perf_cpus *c, const struct opd_perf_plan *plan, size_t nr_events);
/* Release @c, which may be zeroed apart from descriptors that are -1. */
void opd_perf_cpus_release(struct opd_perf_cpus *c);

/* Watch the descriptor @fd, too: .epoll_fd becomes readable when @fd is readable. Return 0 or a
 * negative errno. */
int opd_perf_cpus_watch(struct opd_perf_cpus *c, int fd);

/* Open the events of all online CPUs of the plan. Return 0, or a negative errno with a message in
 * @error; then the events of some CPUs may be open. */
int opd_perf_cpus_open(struct opd_perf_cpus *c, struct op_reason *error);

int opd_perf_cpus_add(struct opd_perf_cpus *c, int cpu, struct op_reason *error);

/* Close the events of the CPU with index @i, discard the unread records of its rings, and remove
 * it. */
void opd_perf_cpus_remove(struct opd_perf_cpus *c, size_t i);
void opd_perf_cpus_remove_all(struct opd_perf_cpus *c);

/* Enable or disable the events of all CPUs. If one CPU fails, try the others, and return the first
 * error. If enabling fails, disable all events again. */
int opd_perf_cpus_enable(struct opd_perf_cpus *c, bool on);

/* Change the periods of timers that have used their current periods for long enough: from slightly
 * too long to slightly too short, or back (perf_events.h). @now: CLOCK_MONOTONIC_RAW, ns. */
void opd_perf_cpus_turn(struct opd_perf_cpus *c, uint64_t now);

/* Read, from the kernel, the number of lost samples and the time for which each event was counting.
 * The call waits until samples that are being written are complete. */
void opd_perf_cpus_read_lost(struct opd_perf_cpus *c);

/* Return the number of invalid records in all rings so far. */
uint64_t opd_perf_cpus_bad(const struct opd_perf_cpus *c);
/* Return the number of samples whose copied stacks were shortened because memory was short. */
uint64_t opd_perf_cpus_shortened(const struct opd_perf_cpus *c);

#endif
