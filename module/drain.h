/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drain.h -- from the CPUs' tables to the stream: when, and how whoever counts is not disturbed.
 *
 * Every four seconds while something is sampled, or sooner when a table is half full, a work item makes
 * the other table of each CPU active, waits for the writers of the old one to finish (RCU) and
 * writes its contents as records. When the ring is full the rest stays in the table, and
 * the CPU goes on counting in the other.
 */
#ifndef OPROFILE_DRAIN_H
#define OPROFILE_DRAIN_H

#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "waker.h"

struct oprofile_cpu;
struct oprofile_hooks;
struct oprofile_paths;
struct oprofile_ring;

struct oprofile_drain {
	struct oprofile_cpu __percpu *cpu;
	struct oprofile_ring *ring;
	struct oprofile_hooks *hooks;	/* tried before each drain */
	struct oprofile_paths *paths;
	const unsigned long *names;	/* setting: those of tasks are wanted */
	struct oprofile_waker waker;	/* for the tables, and for tasks that resolve */
	struct mutex lock;		/* flips tables, writes the ring */
	struct delayed_work work;
	struct notifier_block modules;	/* that come and go */
	bool backlog;			/* tables hold what the ring had no room for */
	bool notice;			/* lock: a MODULE_LOADED found no room */
	bool live;			/* between setup and shutdown */
};

void oprofile_drain_init(struct oprofile_drain *d, struct oprofile_cpu __percpu *cpu,
			 struct oprofile_ring *ring, struct oprofile_hooks *hooks, struct oprofile_paths *paths,
			 const unsigned long *names);
int oprofile_drain_setup(struct oprofile_drain *d);
/* Stops the work and counts what is left in the tables as lost to a full ring. */
void oprofile_drain_shutdown(struct oprofile_drain *d);

/* Drains all tables. 0, or ENOSPC when the ring has no room for the rest. */
int oprofile_drain_now(struct oprofile_drain *d);

/* The reader has made room: what had none is drained soon. */
void oprofile_drain_resume(struct oprofile_drain *d);

#endif
