/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drain.h -- the drain: writes the CPUs' tables to the stream without disturbing the handlers.
 *
 * Each CPU has two tables. Every four seconds while samples come, or when a table is half full, a
 * work item makes the second table of each CPU active, waits for the writers of the first one
 * (RCU), and writes its contents as records. When the ring is full, the remaining samples stay in
 * the drained table, and the CPU counts in the active table.
 *
 * A second work item reports new files of containers to the reader at once, because the daemon
 * cannot open the files of a container that ended before its samples were drained.
 */
#ifndef OPROFILE_DRAIN_H
#define OPROFILE_DRAIN_H

#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "waker.h"

struct oprofile_cookies;
struct oprofile_cpu;
struct oprofile_hooks;
struct oprofile_paths;
struct oprofile_ring;

struct oprofile_drain {
	struct oprofile_cpu __percpu *cpu;
	struct oprofile_ring *ring;
	/* the module's kprobes; each drain first tests whether the kprobes still fire */
	struct oprofile_hooks *hooks;
	struct oprofile_paths *paths;
	const unsigned long *names;	/* value of the setting task_names */
	/* object by which handlers and lookups schedule the drain */
	struct oprofile_waker waker;
	struct mutex lock;		/* protects the exchange of tables and writes to the ring */
	struct delayed_work work;
	/* reports the new files with foreign names of .cookies */
	struct delayed_work files;
	unsigned long reported;		/* time of the last report, in jiffies */
	struct oprofile_cookies *cookies;
	struct notifier_block modules;	/* notifier that is called when a kernel module is loaded or
					 * unloaded */
	bool backlog;			/* whether tables have samples because the ring was full */
	/* a MODULE_LOADED record must be written later, because the ring had no room; protected
	 * by .lock */
	bool notice;
	/* true between oprofile_drain_setup() and oprofile_drain_shutdown() */
	bool live;
};

void oprofile_drain_init(struct oprofile_drain *d, struct oprofile_cpu __percpu *cpu,
			 struct oprofile_ring *ring, struct oprofile_hooks *hooks,
			 struct oprofile_paths *paths, struct oprofile_cookies *cookies,
			 const unsigned long *names);
int oprofile_drain_setup(struct oprofile_drain *d);
/* Stop the drain. Count the samples that are left in the tables as lost because of a full ring. */
void oprofile_drain_shutdown(struct oprofile_drain *d);

/* Drain all tables. Return 0, or -ENOSPC if the ring has no room for the remaining samples. */
int oprofile_drain_now(struct oprofile_drain *d);

/* Schedule the drain of the remaining samples, because the reader has made room in the ring. */
void oprofile_drain_resume(struct oprofile_drain *d);

#endif
