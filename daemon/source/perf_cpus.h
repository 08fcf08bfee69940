/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_cpus.h -- the CPUs whose events are open: opened and closed, watched, switched on and off, and asked what
 * was lost there. What their rings hold is the owner's to read.
 */
#ifndef OPD_PERF_CPUS_H
#define OPD_PERF_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/perf_plan.h"

struct opd_perf_cpus {
	const struct opd_perf_plan *plan;
	struct opd_perf_cpu **cpus;		/* those open, in no order */
	struct opd_perf_ring **samples, **notices;	/* of the same CPU at the same index */
	size_t nr, max;
	struct op_online_cpus online;
	struct opd_perf_times *times;		/* of each event, on all CPUs */
	int epoll_fd;				/* wakes who has to read: at rings, and at what else is watched */
	uint64_t next_turn;			/* of timers; CLOCK_MONOTONIC_RAW, ns */
	bool enabled;				/* so a CPU that comes is enabled at once */
	uint64_t lost;				/* samples that a ring had no room for, as the kernel told */
	uint64_t bad;				/* records of CPUs that are closed */
};

/* @plan may still be empty, and outlives @c. */
int opd_perf_cpus_init(struct opd_perf_cpus *c, const struct opd_perf_plan *plan, size_t nr_events);
void opd_perf_cpus_release(struct opd_perf_cpus *c);	/* zeroed is fine, but for the descriptors: -1 */

/* The owner is woken when there is something to read from @fd, too. */
int opd_perf_cpus_watch(struct opd_perf_cpus *c, int fd);

/* All that are online and wanted. 0, or what @why tells: some may be open then. */
int opd_perf_cpus_open(struct opd_perf_cpus *c, struct op_reason *why);

int opd_perf_cpus_add(struct opd_perf_cpus *c, int cpu, struct op_reason *why);

/* The one at an index. Its rings have been read to their end: what is there still is gone. */
void opd_perf_cpus_remove(struct opd_perf_cpus *c, size_t i);
void opd_perf_cpus_remove_all(struct opd_perf_cpus *c);

/* The first failure; all are tried. */
int opd_perf_cpus_enable(struct opd_perf_cpus *c, bool on);

/* Turns the timers (perf_events.h) once they have run for long enough; @now: CLOCK_MONOTONIC_RAW, ns. */
void opd_perf_cpus_turn(struct opd_perf_cpus *c, uint64_t now);

/* Asks the kernel what was lost, and how long each event counted. Waits until what is being written is there. */
void opd_perf_cpus_ask(struct opd_perf_cpus *c);

/* Records that meant nothing, up to now. */
uint64_t opd_perf_cpus_bad(const struct opd_perf_cpus *c);

#endif
