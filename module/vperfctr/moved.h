/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/moved.h -- handling of counters that perf moves or reloads while their thread runs, for
 * other events or at an overflow.
 *
 * perf then updates the pages of its own users in a function that is probed (probe.h) while a page
 * of this module shows the place of a counter.
 */
#ifndef VPERFCTR_MOVED_H
#define VPERFCTR_MOVED_H

struct perf_event;

/* The function for the probe of moved counters. Preemption is off; any context. */
void vperfctr_moved(struct perf_event *event);

#endif
