/* SPDX-License-Identifier: GPL-2.0 */
/*
 * waker.h -- how whoever has something to drain has it done, without knowing by whom.
 *
 * The drain owns it, and says what `work` does; tables and tasks that resolve are given a pointer.
 */
#ifndef OPROFILE_WAKER_H
#define OPROFILE_WAKER_H

#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/types.h>

struct oprofile_waker {
	struct irq_work work;
	bool armed;		/* the drain is going to run without being woken */
	bool urgent;		/* a table is half full: now, not in a while */
};

/* Any context: there is something to drain; @urgent: soon. */
static inline void oprofile_wake(struct oprofile_waker *w, bool urgent)
{
	if (urgent)
		WRITE_ONCE(w->urgent, true);
	else if (READ_ONCE(w->armed))
		return;
	WRITE_ONCE(w->armed, true);
	irq_work_queue(&w->work);
}

#endif
