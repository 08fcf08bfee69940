/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * operf_event.h -- what is sampled by when nobody says.
 */
#ifndef OPERF_EVENT_H
#define OPERF_EVENT_H

#include "libop/base/reason.h"

/*
 * The CPU's default event where the kernel counts cycles for us, else the timer, and @why it is the timer.
 * Static.
 */
const char *operf_default_event(struct op_reason *why);

/* 0 when perf_events takes a trial event of ours, else the errno that it gives, with @why. */
int operf_try_perf_events(struct op_reason *why);

#endif
