/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/moved.h -- handling of events that perf moves to another hardware counter, or whose
 * counter perf reloads, while their thread runs.
 *
 * perf then calls perf_event_update_userpage(), which updates the pages of perf's own users. While
 * a page of this module shows the number of a counter, a probe of that function is enabled
 * (probe.h).
 */
#ifndef VPERFCTR_MOVED_H
#define VPERFCTR_MOVED_H

struct perf_event;

/* Update the page of the running thread, one of whose counters has moved. Called by the probe, with
 * preemption off, in any context. */
void vperfctr_moved(struct perf_event *event);

#endif
