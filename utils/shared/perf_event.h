/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_event.h -- checks of perf_events and of events on this machine, and the default event.
 */
#ifndef UTILS_SHARED_PERF_EVENT_H
#define UTILS_SHARED_PERF_EVENT_H

#include "libop/base/reason.h"

/*
 * Return the CPU's default event if the kernel can count cycles for this user. Otherwise return the
 * event of the timer, with the cause in @error. The string is static.
 */
const char *operf_default_event(struct op_reason *error);

/*
 * Check whether CPU events can be counted here if @events names any. Return 0, or a negative
 * errno with a message in @error. oprofiled checks the events in full.
 */
int operf_check_events(const char *events, struct op_reason *error);
/*
 * Check the name of one event. Refuse perf's software events, and name the program that counts or
 * samples them. @by_time: the option that makes this program sample by time.
 */
int operf_check_event(const char *name, const char *by_time, struct op_reason *error);

/*
 * Try to open an event with perf_events. Return 0, or the positive errno with a message in
 * @error. With 0, @error is set if the kernel has no counters of the CPU, so that only time and
 * software events remain.
 */
int operf_try_perf_events(struct op_reason *error);

#endif
