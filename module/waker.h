/* SPDX-License-Identifier: GPL-2.0 */
/*
 * waker.h -- object by which handlers and lookups schedule the work of the drain, without a pointer
 * to the drain.
 *
 * The drain owns the waker and sets the function of `work`. Tables and lookups have a pointer to
 * the waker.
 */
#ifndef OPROFILE_WAKER_H
#define OPROFILE_WAKER_H

#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/types.h>

struct oprofile_waker {
	struct irq_work work;
	bool armed;		/* whether the drain is already scheduled */
	/* whether a table is half full, so that the drain must run without a delay */
	bool urgent;
	/* whether a report of new files with foreign names is already scheduled */
	bool files;
};

/* Schedule the drain; @urgent: without a delay. For any context. */
static inline void oprofile_wake(struct oprofile_waker *w, bool urgent)
{
	if (urgent)
		WRITE_ONCE(w->urgent, true);
	else if (READ_ONCE(w->armed))
		return;
	WRITE_ONCE(w->armed, true);
	irq_work_queue(&w->work);
}

/* Schedule the report of new files with foreign names. For any context. */
static inline void oprofile_wake_for_files(struct oprofile_waker *w)
{
	if (READ_ONCE(w->files))
		return;
	WRITE_ONCE(w->files, true);
	irq_work_queue(&w->work);
}

#endif
