/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog.h -- reports to the service manager that the daemon makes progress.
 *
 * The poll loop reports after each of its steps. A long operation reports after each part of its
 * work. Otherwise it could exceed the watchdog's timeout on a busy machine or under a quota of CPU
 * time. A daemon that works sends a message each second, so that almost the whole timeout is left
 * for the next part of the work. An idle daemon sleeps for half the timeout.
 */
#ifndef OPD_WATCHDOG_H
#define OPD_WATCHDOG_H

#include <stdint.h>

#include "daemon/base/notify.h"
#include "libop/base/clock.h"

/* The shortest interval between two messages, in ms. */
#define OPD_WATCHDOG_MIN_MS	1000

struct opd_watchdog {
	uint64_t ms;		/* half the watchdog timeout, in ms; 0: no watchdog */
	/* times in ms of op_now_ms() */
	uint64_t next;		/* before this time, no message is sent */
	uint64_t due;		/* the latest time of the next message */
};

static inline void opd_watchdog_init(struct opd_watchdog *w)
{
	*w = (struct opd_watchdog){ .ms = opd_notify_watchdog_ms() / 2 };
}

/* Send "WATCHDOG=1" to the service manager, unless the last message is less than a second old. */
static inline void opd_watchdog_alive(struct opd_watchdog *w)
{
	uint64_t now;

	if (!w->ms || (now = op_now_ms()) < w->next)
		return;
	opd_notify("WATCHDOG=1");
	w->next = now + (w->ms < OPD_WATCHDOG_MIN_MS ? w->ms : OPD_WATCHDOG_MIN_MS);
	w->due = now + w->ms;
}

#endif
