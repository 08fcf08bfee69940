/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/moved.h -- perf moves and reloads counters while their thread runs: when others come, and when one wraps.
 *
 * It tells its own users' pages of that, in a function that is probed (probe.h) while some page of ours says where a counter is.
 */
#ifndef VPERFCTR_MOVED_H
#define VPERFCTR_MOVED_H

struct perf_event;

/* For the probe. Preemption off, in any context. */
void vperfctr_moved(struct perf_event *event);

#endif
