/* SPDX-License-Identifier: GPL-2.0 */
/* cpu.h -- state of one CPU: two tables of samples (one is filled while the other is drained),
 * counters, and a pool of lookups (lookup.h). */
#ifndef OPROFILE_CPU_H
#define OPROFILE_CPU_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/llist.h>
#include <linux/types.h>

#include "events.h"
#include "governor.h"
#include "paths/walk.h"
#include "stats.h"
#include "table.h"

struct oprofile_lookup;
struct oprofile_sampling;

#define OPROFILE_NR_LOOKUPS	256	/* number of lookups in a CPU's pool (lookup.h) */
/* maximum number of lookups that are queued on the tasks of one user */
#define OPROFILE_USER_LOOKUPS	(OPROFILE_NR_LOOKUPS / 2)
/* number of counters of lookups per user; users with equal hashes share one counter */
#define OPROFILE_NR_USERS	128

/* The time slices of groups of events (time_slice.h). */
struct oprofile_time_slice {
	struct hrtimer timer;
	/* time at which the current group's slice began; 0: sampling is stopped */
	u64 since;
	/* time in ns for which the CPU was sampled, from the last start up to the time .since */
	u64 sampling_ns;
	u64 group_ns[OPROFILE_MAX_EVENTS];	/* time in ns for which each group was counted */
};

struct oprofile_cpu {
	struct oprofile_sampling *s;
	/* the table that handlers fill; NULL: not allocated; only drain.c exchanges it */
	struct oprofile_table *active;
	int cpu;
	/* the backend samples this CPU: cpu_online() has succeeded, and cpu_offline() was not
	 * called yet */
	bool here;
	u64 spent;			/* cycles spent on sampling, for the governor */
	struct oprofile_stats stats;
	struct oprofile_governor governor;	/* reduces this CPU's sampling rate if sampling
						 * costs too much */
	/* negative errno with which the start of sampling on this CPU failed; 0: no error */
	int err;
	u32 group;			/* number of the group whose events are counted now */
	u32 random;			/* state of the random number generator for jitter */
	struct oprofile_time_slice slice;
	/* for each event, the times for which it was enabled and counted; only for backends that
	 * have an event_time() function */
	struct oprofile_event_time counted[OPROFILE_MAX_EVENTS];

	struct oprofile_table tables[2];
	/* the table that the drain empties now; NULL: all tables are empty; protected by
	 * drain.lock */
	struct oprofile_table *draining;

	struct oprofile_path_stats path_stats;
	/* stack walkers (paths/walk.h); NULL: call paths have not been enabled */
	struct oprofile_walker *walker[OPROFILE_NR_WALKERS];

	/* The following members belong to resolve.c. */
	struct oprofile_lookup **lookups;	/* the CPU's pool of lookups */
	/* the lookup that was last queued for a sample; only compared, or used by the task on which
	 * it is queued (oprofile_resolve_again()) */
	struct oprofile_lookup *last_lookup;
	/* bit map of free lookups; bits are cleared only on this CPU (also in NMIs), and set on
	 * any CPU */
	DECLARE_BITMAP(free, OPROFILE_NR_LOOKUPS);
	atomic_t held_by[OPROFILE_NR_USERS];	/* number of lookups in use by each user */
	/* lookups of samples whose task has migrated to another CPU before it ran the lookup */
	struct llist_head moved;
	/* lookups that the drain has detached from .moved and is writing to the stream; protected
	 * by drain.lock */
	struct llist_node *moved_draining;
	atomic64_t unresolved;		/* number of this CPU's samples whose lookup has not
					 * finished */
};

/*
 * Allocate the CPU's tables, if it has none, with @slots slots each. @entries: also allocate space
 * for half as many samples with additional data (table.h). Called in process context. Return 0 or
 * -ENOMEM.
 */
int oprofile_cpu_alloc(struct oprofile_cpu *pcpu, unsigned long slots, bool entries,
		       struct oprofile_waker *waker);
/* Free the CPU's tables. No other CPU may use these tables any more. */
void oprofile_cpu_release(struct oprofile_cpu *pcpu);

#endif
