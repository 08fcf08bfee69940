/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/moved.h -- handling of counters that perf moves or reloads while their thread runs,
 * because of other events or an overflow.
 *
 * perf then calls a function that updates the pages of its own users. While a page of this module
 * shows the number of a counter, this function is probed (probe.h).
 */
#ifndef VPERFCTR_MOVED_H
#define VPERFCTR_MOVED_H

struct perf_event;

/* Update the page of the running thread, one of whose counters has moved. Called by the probe, with
 * preemption off, in any context. */
void vperfctr_moved(struct perf_event *event);

#endif
