/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_cpus.h -- the CPUs with open perf_events: opens, closes, watches, enables and disables their
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
	/* array of the CPUs whose events are open, in no particular order */
	struct opd_perf_cpu **cpus;
	/* .samples[i] and .notices[i] are the rings of the CPU .cpus[i] */
	struct opd_perf_ring **samples, **notices;
	size_t nr, max;
	struct op_online_cpus online;
	struct opd_perf_times *times;		/* the times of each event, summed over all CPUs */
	/* descriptor of an epoll instance that wakes the reader of the rings, and that also watches
	 * the descriptors of opd_perf_cpus_watch() */
	int epoll_fd;
	/* time at which opd_perf_cpus_turn() has something to do next; CLOCK_MONOTONIC_RAW, ns */
	uint64_t next_turn;
	/* sampling is enabled, so events of a new CPU are enabled at once */
	bool enabled;
	/* samples lost because a ring was full, as reported by the kernel */
	uint64_t lost;
	/* number of invalid records in rings of removed CPUs */
	uint64_t bad;
	/* number of samples with shortened stacks on CPUs that were removed */
	uint64_t shortened;
};

/* Initialize @c. The caller may fill in @plan later; @plan must outlive @c. Return 0 or a negative
 * errno. */
int opd_perf_cpus_init(struct opd_perf_cpus *c, const struct opd_perf_plan *plan, size_t nr_events);
/* Release @c, which may be all zeros except for the descriptors, which are -1. */
void opd_perf_cpus_release(struct opd_perf_cpus *c);

/* Make .epoll_fd wake the owner of @c also when @fd is readable. Return 0 or a negative errno. */
int opd_perf_cpus_watch(struct opd_perf_cpus *c, int fd);

/* Open the events of all wanted CPUs that are online. Return 0, or a negative errno with the reason
 * in @error; then some CPUs may be open. */
int opd_perf_cpus_open(struct opd_perf_cpus *c, struct op_reason *error);

int opd_perf_cpus_add(struct opd_perf_cpus *c, int cpu, struct op_reason *error);

/* Remove the CPU with index @i. Its rings must have been read to the end: unread records are
 * discarded. */
void opd_perf_cpus_remove(struct opd_perf_cpus *c, size_t i);
void opd_perf_cpus_remove_all(struct opd_perf_cpus *c);

/* Enable or disable the events of all CPUs. Return the first error, after trying all CPUs. If
 * enabling fails, all events are disabled. */
int opd_perf_cpus_enable(struct opd_perf_cpus *c, bool on);

/* Change timers that have run for long enough from slow to fast or from fast to slow
 * (perf_events.h). @now: CLOCK_MONOTONIC_RAW, ns. */
void opd_perf_cpus_turn(struct opd_perf_cpus *c, uint64_t now);

/* Read from the kernel how many samples were lost, and for how long each event was counting. Waits
 * until samples that are being written are complete. */
void opd_perf_cpus_ask(struct opd_perf_cpus *c);

/* Return the number of invalid records in the rings of all CPUs so far. */
uint64_t opd_perf_cpus_bad(const struct opd_perf_cpus *c);
/* Return the number of samples whose stacks were shortened because memory was short. */
uint64_t opd_perf_cpus_shortened(const struct opd_perf_cpus *c);

#endif
