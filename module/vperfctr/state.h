/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/state.h -- the state of an object that users read, in a page.
 *
 * A reader compares tsc_start before and after reading the page. To make sure that this comparison
 * detects every change, tsc_start never has the same value twice: it runs ahead of the TSC if there
 * are several changes within one tick, or if the TSCs of CPUs differ. tsc_sum compensates for this
 * difference.
 */
#ifndef VPERFCTR_STATE_H
#define VPERFCTR_STATE_H

#include <linux/compiler.h>
#include <linux/types.h>

struct perf_event;
struct vperfctr;
struct vperfctr_state;
struct vperfctr_sum_ctrs;

/*
 * Update the page. @running: whether the thread runs from now on. @fresh: read the running counters
 * first. For all functions of this file: preemption is off, and the caller is the owner, or the
 * object has no owner.
 */
void vperfctr_update(struct vperfctr *v, bool running, bool fresh);
/* Update the page of an object without slots at a context switch. vperfctr_sched_out(): the owner
 * stops running; vperfctr_sched_in(): the owner begins to run. */
void vperfctr_sched_out(struct vperfctr *v);
void vperfctr_sched_in(struct vperfctr *v);
/*
 * Read the slots whose counters user mode cannot read. Write their sums to the page, and copy all
 * sums to the memory of the caller, which is the running owner. Return -EFAULT if some sums could
 * not be copied, because page faults are disabled.
 */
int vperfctr_report(struct vperfctr *v, struct vperfctr_sum_ctrs __user *to);
/*
 * Update the page of the running thread if @event is a slot of this thread. The probe (probe.h)
 * calls this function with preemption off when perf calls perf_event_update_userpage(): perf has
 * moved the event to another hardware counter of this CPU, or has reloaded the counter. Any
 * context: if this call interrupts an update of the page, that update is repeated.
 */
void vperfctr_moved(struct perf_event *event);
/* Show the settings of v->control, v->slots and v->kept in the page. The virtual TSC begins at
 * @tsc_sum. */
void vperfctr_show_control(struct vperfctr *v, u64 tsc_sum, bool running);
/* Show the settings in the state of a child's object whose thread has never run. */
void vperfctr_show_copy(struct vperfctr *v);
void vperfctr_show_status(struct vperfctr *v, u64 set, u64 clear);

/* Copy v->first to @page, with lock held. Afterwards the owner switches to v->page; if the
 * object has no owner, the caller switches. */
void vperfctr_show_first(const struct vperfctr *v, struct vperfctr_state *page);
void vperfctr_switch_page(struct vperfctr *v);

/* Return the current virtual TSC. Any context, except during an update of the page. */
u64 vperfctr_virtual_tsc(const struct vperfctr *v);
/* Return the virtual TSC and the status as of the last update, even while the owner runs on another
 * CPU. */
void vperfctr_read_last(const struct vperfctr *v, u64 *tsc, u64 *cstatus);

#endif
