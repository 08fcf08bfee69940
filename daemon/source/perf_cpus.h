/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_cpus.h -- the CPUs with open events: opens, closes, watches, enables and disables their
 * events, and reads how many samples were lost. The owner reads the rings.
 */
#ifndef OPD_PERF_CPUS_H
#define OPD_PERF_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/source/perf_plan.h"

struct opd_perf_cpus {
	const struct opd_perf_plan *plan;
	struct opd_perf_cpu **cpus;		/* open CPUs, in no particular order */
	struct opd_perf_ring **samples, **notices;	/* rings of the CPU with the same index */
	size_t nr, max;
	struct op_online_cpus online;
	struct opd_perf_times *times;		/* sums for each event, over all CPUs */
	/* wakes the reader: for rings, and for other watched descriptors */
	int epoll_fd;
	/* time of the next opd_perf_cpus_turn() with an effect; CLOCK_MONOTONIC_RAW, ns */
	uint64_t next_turn;
	bool enabled;				/* a new CPU is enabled at once */
	/* samples lost because a ring was full, as reported by the kernel */
	uint64_t lost;
	uint64_t bad;				/* invalid records of closed CPUs */
};

/* Initialize @c. @plan may be filled in later, and must outlive @c. */
int opd_perf_cpus_init(struct opd_perf_cpus *c, const struct opd_perf_plan *plan, size_t nr_events);
/* Release @c, which may be all zeros except for the descriptors: -1 */
void opd_perf_cpus_release(struct opd_perf_cpus *c);

/* Wake the owner also when @fd is readable. */
int opd_perf_cpus_watch(struct opd_perf_cpus *c, int fd);

/* Open all wanted CPUs that are online. Return 0, or a negative errno with the reason in @error;
 * some CPUs may be open then. */
int opd_perf_cpus_open(struct opd_perf_cpus *c, struct op_reason *error);

int opd_perf_cpus_add(struct opd_perf_cpus *c, int cpu, struct op_reason *error);

/* Remove the CPU at an index. The rings must have been read to the end: other records are
 * discarded. */
void opd_perf_cpus_remove(struct opd_perf_cpus *c, size_t i);
void opd_perf_cpus_remove_all(struct opd_perf_cpus *c);

/* Enable or disable all CPUs. Return the first error, after trying all. */
int opd_perf_cpus_enable(struct opd_perf_cpus *c, bool on);

/* Change timers between slow and fast (perf_events.h) when they have run for long enough; @now:
 * CLOCK_MONOTONIC_RAW, ns. */
void opd_perf_cpus_turn(struct opd_perf_cpus *c, uint64_t now);

/* Read from the kernel how many samples were lost, and how long each event was counted. Waits until
 * samples that are being written are complete. */
void opd_perf_cpus_ask(struct opd_perf_cpus *c);

/* Return the number of invalid records so far. */
uint64_t opd_perf_cpus_bad(const struct opd_perf_cpus *c);

#endif
