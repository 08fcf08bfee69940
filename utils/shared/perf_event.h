/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_event.h -- checks whether perf_events and single events can be used on this machine, and
 * chooses the default event.
 */
#ifndef UTILS_SHARED_PERF_EVENT_H
#define UTILS_SHARED_PERF_EVENT_H

#include "libop/base/reason.h"

/*
 * Return the CPU's default event if the kernel lets this user count cycles. Otherwise return the
 * timer event, with the cause in @error. The string is static.
 */
const char *operf_default_event(struct op_reason *error);

/*
 * If @events contains CPU events, check whether this machine can count them. Return 0, or a
 * negative errno with a message in @error. The check is not complete: oprofiled checks the events
 * again.
 */
int operf_check_events(const char *events, struct op_reason *error);
/*
 * Check the name of one event. Refuse perf's software events, with a message that names the program
 * to use. @by_time: the caller's option for sampling by time.
 */
int operf_check_event(const char *name, const char *by_time, struct op_reason *error);

/*
 * Try to open a perf event. Return 0, or a positive errno with a message in @error. Also set
 * @error, and return 0, if the kernel has no hardware counters, so that only timer and software
 * events can be used.
 */
int operf_try_perf_events(struct op_reason *error);

#endif
