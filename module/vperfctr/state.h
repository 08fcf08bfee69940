/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/state.h -- the state of an object that users read, in a page.
 *
 * tsc_start never has the same value twice, so that a reader who compares it before and after
 * reading detects every change. For this it runs ahead for changes within one tick of the TSC, and
 * if the TSCs of CPUs differ; tsc_sum compensates for it.
 */
#ifndef VPERFCTR_STATE_H
#define VPERFCTR_STATE_H

#include <linux/compiler.h>
#include <linux/types.h>

struct vperfctr;
struct vperfctr_state;
struct vperfctr_sum_ctrs;

/*
 * Update the page, and show in it whether the thread is @running from now on. @fresh: read running
 * counters first. Rule for all functions of this file: preemption is off, and the caller is the
 * owner, or the object has no owner.
 */
void vperfctr_update(struct vperfctr *v, bool running, bool fresh);
/* Update the page of an object without slots at a switch: the owner ran until now, or begins to
 * run. */
void vperfctr_sched_out(struct vperfctr *v);
void vperfctr_sched_in(struct vperfctr *v);
/*
 * Read the slots that have no map, and write the sums both to the page and to the memory of the
 * caller, which is the running owner. -EFAULT: some sums could not be written, because page faults
 * are disabled.
 */
int vperfctr_report(struct vperfctr *v, struct vperfctr_sum_ctrs __user *to);
/* Called when perf has moved a counter on this CPU. For any context; an interrupted update of the
 * page then begins again. */
void vperfctr_update_moved(struct vperfctr *v);
/* Show the settings in v->control, v->slots and v->kept; the virtual TSC begins at @tsc_sum. */
void vperfctr_show_control(struct vperfctr *v, u64 tsc_sum, bool running);
/* Show the settings of a copy that has never run. */
void vperfctr_show_copy(struct vperfctr *v);
void vperfctr_show_status(struct vperfctr *v, u64 set, u64 clear);

/* Copy v->first to @page, under lock. The owner, or the caller if there is no owner, then
 * switches to v->page. */
void vperfctr_show_first(const struct vperfctr *v, struct vperfctr_state *page);
void vperfctr_switch_page(struct vperfctr *v);

/* Return the current virtual TSC. For any context, except during an update of the page. */
u64 vperfctr_virtual_tsc(const struct vperfctr *v);
/* Get the virtual TSC and status of the last update, even while the owner runs on another CPU. */
void vperfctr_read_last(const struct vperfctr *v, u64 *tsc, u64 *cstatus);

#endif
