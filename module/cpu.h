/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu.h -- the state of one CPU: two tables, of which one is filled while the other is drained, its
 * counters, and its pool of lookups.
 */
#ifndef OPROFILE_CPU_H
#define OPROFILE_CPU_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/llist.h>
#include <linux/types.h>

#include "events.h"
#include "governor.h"
#include "path_walk.h"
#include "stats.h"
#include "table.h"

struct oprofile_lookup;
struct oprofile_sampling;

#define OPROFILE_NR_LOOKUPS	256	/* lookups of a CPU: lookup.h */
#define OPROFILE_USER_LOOKUPS	(OPROFILE_NR_LOOKUPS / 2)	/* maximum for one user's tasks */
/* number of shares; users whose numbers collide have one together */
#define OPROFILE_NR_USERS	128

/* The time slices of groups of events: time_slice.h. */
struct oprofile_time_slice {
	struct hrtimer timer;
	u64 since;				/* start of the group's slice; 0: not sampling */
	/* sampled time before `since`, since the last start */
	u64 sampling_ns;
	u64 group_ns[OPROFILE_MAX_EVENTS];	/* sampled time of each group */
};

struct oprofile_cpu {
	struct oprofile_sampling *s;
	struct oprofile_table *active;	/* NULL: not allocated; written by drain.c */
	int cpu;
	bool here;			/* set between the backend's cpu_online and cpu_offline */
	u64 spent;			/* cycles spent sampling, for the governor */
	struct oprofile_stats stats;
	struct oprofile_governor governor;	/* of counters */
	int err;			/* reason why this CPU is not sampled, or 0 */
	u32 group;			/* the group of events being counted */
	u32 random;			/* state of the random generator for jitter */
	struct oprofile_time_slice slice;
	/* kept by event_time() backends */
	struct oprofile_event_time counted[OPROFILE_MAX_EVENTS];

	struct oprofile_table tables[2];
	struct oprofile_table *draining; /* drain.lock: not yet emptied, or NULL */

	struct oprofile_path_stats path_stats;
	/* paths.c; NULL: call paths have not been enabled */
	struct oprofile_walker *walker[OPROFILE_NR_WALKERS];

	/* resolve.c */
	struct oprofile_lookup **lookups;	/* the pool */
	/* cleared on this CPU, in NMIs, too; set on any CPU */
	DECLARE_BITMAP(free, OPROFILE_NR_LOOKUPS);
	atomic_t held_by[OPROFILE_NR_USERS];	/* number of lookups in use, by user */
	/* samples of tasks that moved to another CPU before they resolved them */
	struct llist_head moved;
	struct llist_node *moved_draining;	/* drain.lock */
	atomic64_t unresolved;		/* number of samples whose lookup has not finished */
};

/* Allocate the tables, if there are none, with @slots slots, and with half as many entries if
 * @entries. Process context. Return 0 or -ENOMEM. */
int oprofile_cpu_alloc(struct oprofile_cpu *pcpu, unsigned long slots, bool entries,
		       struct oprofile_waker *waker);
/* Free the tables. No CPU may use them any more. */
void oprofile_cpu_release(struct oprofile_cpu *pcpu);

#endif
