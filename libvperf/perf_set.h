/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf_set.h -- perf_events counters of a handle's slots.
 *
 * The slots form one group of perf events, which the kernel counts together or not at all. A slot
 * that may be multiplexed (VPERFCTR_SHARE) is a group of its own. To count children, each slot also
 * has an inherited event, which counts the thread and its children. The difference of the two
 * counts is the children's count. All events are opened in stopped state.
 */
#ifndef VPERF_PERF_SET_H
#define VPERF_PERF_SET_H

#include "libvperf/private.h"

/* File descriptors of a slot; -1: not open. */
struct perf_slot {
	int fd;
	/* descriptor of the slot's second event, whose count is added to the count of .fd; -1: the
	 * slot has one event */
	int second;
	int leader;		/* index of the slot that is the leader of this slot's group */
	int inherited;
	uint64_t enabled, running;	/* enabled and running time of the event when the counts
					 * were last set to 0 */
	/* mapped page of the perf event, or NULL */
	const volatile struct perf_event_mmap_page *page;
};

struct perf_set {
	unsigned int nr;
	/* the slot counts only user mode, because kernel.perf_event_paranoid forbids counting
	 * kernel mode */
	bool user_only;
	struct perf_slot slots[VPERF_MAX];
};

/* Open the events of the slots @pmc; overflows send the signal @signo. Return 0. On failure
 * close all events, set v's error message, and return a negative errno. */
int perf_set_open(struct perf_set *ret, struct vperf *v, const struct vperfctr_pmc *pmc,
		  unsigned int nr, int signo);
/* Close all descriptors of @set, which may be all zeros. */
void perf_set_close(struct perf_set *set);
/* Close the descriptors in a child of fork, in which the pages are not mapped. */
void perf_set_forget(struct perf_set *set);

/* Open a task-clock event. @inherited: the thread's children inherit the event. Return a
 * descriptor; on failure set v's error message, and return a negative errno. */
int perf_set_open_clock(struct vperf *v, bool inherited);

#endif
