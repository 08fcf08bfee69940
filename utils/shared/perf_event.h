/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_event.h -- what is sampled by when nobody says.
 */
#ifndef UTILS_SHARED_PERF_EVENT_H
#define UTILS_SHARED_PERF_EVENT_H

#include "libop/base/reason.h"

/*
 * The CPU's default event where the kernel counts cycles for us, else the timer, and @why it is the timer.
 * Static.
 */
const char *operf_default_event(struct op_reason *error);

/*
 * Whether events of the CPU can be counted at all, when one of @events is any: 0, or negative with text. What else is
 * wrong with them oprofiled tells, which looks at them as a whole.
 */
int operf_check_events(const char *events, struct op_reason *error);
/*
 * As above, for one event by its name. Software events of perf are refused with the name of the program that counts or
 * samples them. @by_time: the option of the program that samples by time.
 */
int operf_check_event(const char *name, const char *by_time, struct op_reason *error);

/*
 * Try to open an event with perf_events. Return 0, or the positive errno with @why. With 0, @why is set if the kernel has
 * no counters of the CPU, so that only time and software events remain.
 */
int operf_try_perf_events(struct op_reason *error);

#endif
