/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf_set.h -- the counters of perf_events that a handle's slots are.
 *
 * Slots are one group, which the kernel counts together or not at all; those that may take turns (VPERFCTR_SHARE) are
 * each one of its own. For children a second counter of each slot is inherited: it counts the thread and them, so
 * theirs is the difference. Everything is opened stopped.
 */
#ifndef VPERF_PERF_SET_H
#define VPERF_PERF_SET_H

#include "libvperf/private.h"

/* Of a slot. Each is a number of a descriptor, or -1. */
struct perf_slot {
	int fd;
	int second;		/* another event whose count is added to the count of @fd */
	int leader;		/* the slot whose group it is in */
	int inherited;
	uint64_t enabled, running;	/* at the last reset */
	const volatile struct perf_event_mmap_page *page;	/* or NULL */
};

struct perf_set {
	unsigned int nr;
	bool user_only;		/* kernel.perf_event_paranoid does not let us count in the kernel */
	struct perf_slot slots[VPERF_MAX];
};

/* Opens; @signo tells of overflows. 0, or negative errno with v's error, and then nothing is open. */
int perf_set_open(struct perf_set *ret, struct vperf *v, const struct vperfctr_pmc *pmc, unsigned int nr, int signo);
void perf_set_close(struct perf_set *set);	/* or one of zeros */
void perf_set_forget(struct perf_set *set);	/* in a child, which has no pages */

/* A clock, and one that children inherit: task-clock. As above; a descriptor. */
int perf_set_open_clock(struct vperf *v, bool inherited);

#endif
