/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu.h -- what belongs to one CPU: the tables it counts in, one being filled, one being drained, its
 * books, and the errands that it can give to tasks.
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

struct oprofile_errand;
struct oprofile_sampling;

#define OPROFILE_NR_ERRANDS	256	/* per CPU, for what tasks have to look up: resolve.h */
#define OPROFILE_USER_ERRANDS	(OPROFILE_NR_ERRANDS / 2)	/* of them, with tasks of one user */
#define OPROFILE_NR_USERS	128	/* told apart; those that hash alike share */

/* Groups of events that take turns: time_slice.h. */
struct oprofile_time_slice {
	struct hrtimer timer;
	u64 since;				/* when the group's turn began; 0: not sampling */
	u64 sampling_ns;			/* before that, since the last start */
	u64 group_ns[OPROFILE_MAX_EVENTS];	/* the share of each group */
};

struct oprofile_cpu {
	struct oprofile_sampling *s;
	struct oprofile_table *active;	/* NULL: not allocated; written by drain.c */
	int cpu;
	bool here;			/* between cpu_online and cpu_offline of the backend */
	u64 spent;			/* cycles spent sampling, for the governor */
	struct oprofile_stats stats;
	struct oprofile_governor governor;	/* of counters */
	int err;			/* not sampled, for this reason; else 0 */
	u32 group;			/* of the events that have their turn */
	u32 random;			/* state of the generator of jitter */
	struct oprofile_time_slice slice;
	struct oprofile_event_time counted[OPROFILE_MAX_EVENTS];	/* kept by event_time() backends */

	struct oprofile_table tables[2];
	struct oprofile_table *draining; /* drain.lock: not yet emptied, or NULL */

	struct oprofile_path_stats path_stats;
	struct oprofile_walker *walker[OPROFILE_NR_WALKERS];	/* paths.c; NULL: no paths wanted yet */

	/* resolve.c */
	struct oprofile_errand **errands;	/* all of them */
	DECLARE_BITMAP(free, OPROFILE_NR_ERRANDS);	/* taken by this CPU, NMIs as well, given back by any */
	atomic_t held_by[OPROFILE_NR_USERS];	/* errands that are not free, by user */
	struct llist_head strays;	/* resolved on another CPU */
	struct llist_node *strays_draining;	/* drain.lock */
	atomic64_t unresolved;		/* samples still waiting for their task */
};

/* 0 or ENOMEM; does nothing when there are tables already. @entries: half as many as slots, or none.
 * Process context. */
int oprofile_cpu_alloc(struct oprofile_cpu *pcpu, unsigned long slots, bool entries,
		       struct oprofile_waker *waker);
/* Nobody may be using it any more. */
void oprofile_cpu_release(struct oprofile_cpu *pcpu);

#endif
