/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer_sync.h -- from the CPUs' tables to the event stream.
 *
 * Every four seconds while something is sampled, or sooner when a table is half full, a work item makes
 * the other table of each CPU active, waits for the writers of the old one to finish (RCU) and
 * writes its contents as records. When the event buffer is full the rest stays in the table, and
 * the CPU goes on counting in the other.
 */
#ifndef OPROFILE_BUFFER_SYNC_H
#define OPROFILE_BUFFER_SYNC_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct oprofile_session;

struct oprofile_sync {
	struct mutex lock;		/* flips tables, writes the event buffer */
	struct delayed_work work;
	struct irq_work kick;		/* a handler asks for work */
	bool armed;			/* work is going to run without a kick */
	bool urgent;			/* a table is half full: now, not in a while */
	bool backlog;			/* tables hold what the event buffer had no room for */
	bool notice;			/* lock: a MODULE_LOADED found no room */
	bool live;			/* between setup and shutdown */
};

void oprofile_sync_init(struct oprofile_sync *y);
void oprofile_sync_setup(struct oprofile_session *s);
/* Stops the work and counts what is left in the tables as lost to a full event buffer. */
void oprofile_sync_shutdown(struct oprofile_session *s);

/* Any context: there is something to drain; @urgent: soon. */
void oprofile_sync_kick(struct oprofile_sync *y, bool urgent);

/* Drains all tables. 0, or ENOSPC when the event buffer has no room for the rest. */
int oprofile_sync_drain(struct oprofile_session *s);

/* Samples of before, then the notice that /proc/modules has changed. */
void oprofile_sync_modules_changed(struct oprofile_session *s);

#endif
