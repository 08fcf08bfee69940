/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog.h -- reports to the service manager that the daemon makes progress.
 *
 * The poll loop reports in each iteration. A long operation reports after each part of its work.
 * Otherwise it could exceed the watchdog's timeout on a busy machine or under a quota of CPU time.
 */
#ifndef OPD_WATCHDOG_H
#define OPD_WATCHDOG_H

#include <stdint.h>

#include "daemon/base/notify.h"
#include "libop/base/clock.h"

struct opd_watchdog {
	/* interval of the messages: half the watchdog timeout, in ms; 0: no watchdog */
	uint64_t ms;
	uint64_t due;		/* time of the next message, in ms of op_now_ms() */
};

static inline void opd_watchdog_init(struct opd_watchdog *w)
{
	*w = (struct opd_watchdog){ .ms = opd_notify_watchdog_ms() / 2 };
}

/* Send "WATCHDOG=1" to the service manager if the message is due. */
static inline void opd_watchdog_alive(struct opd_watchdog *w)
{
	uint64_t now;

	if (!w->ms || (now = op_now_ms()) < w->due)
		return;
	opd_notify("WATCHDOG=1");
	w->due = now + w->ms;
}

#endif
