/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/pmu.h -- features of the CPU's PMU for users: whether user mode can read counters, and
 * whether overflows interrupt.
 *
 * perf decides for each event whether its counter may be read in user mode (x86: the PMU's file
 * rdpmc; aarch64: kernel.perf_user_access, and a bit in config1), and to which counter the event is
 * assigned now.
 */
#ifndef VPERFCTR_PMU_H
#define VPERFCTR_PMU_H

#include <linux/types.h>

struct perf_event;
struct perf_event_attr;

/* Set the bits of @attr that request permission to read the counter in user mode. Return false
 * if the CPU's PMU does not need such a request. */
bool vperfctr_request_user_reads(struct perf_event_attr *attr);
/* Return whether the event's counter may be read in user mode. */
bool vperfctr_user_reads(const struct perf_event *event);
/* Return the `map` for the page: the counter in which @event counts on this CPU now; 0 if user
 * mode cannot read it. Called with preemption off, in the event's thread. */
u64 vperfctr_map_of(struct perf_event *event);
u64 vperfctr_width_of(const struct perf_event *event);

/* Return the features of this machine, VPERFCTR_FEATURE_*. @now: detect them by creating an event
 * of the PMU; false: return the features that were detected last. Sleeps. */
u32 vperfctr_features(bool now);

#endif
