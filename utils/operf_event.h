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

/*
 * Whether events of the CPU can be counted at all, when one of @events is any: 0, or negative with text. What else is
 * wrong with them oprofiled tells, which looks at them as a whole.
 */
int operf_check_events(const char *events, struct op_reason *error);
/*
 * The same of one, by its name. Perf's software events are refused with the program that counts or samples them. @by_time: how the
 * program samples by time.
 */
int operf_check_event(const char *name, const char *by_time, struct op_reason *error);

/*
 * 0 when perf_events takes a trial event of ours, else the errno that it gives, with @why. With 0 @why is the limit, if there is one:
 * without counters of the CPU only time and software events are left.
 */
int operf_try_perf_events(struct op_reason *why);

#endif
