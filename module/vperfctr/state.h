/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/state.h -- the page that users read.
 *
 * tsc_start never has a value twice, so that who reads it before and after notices every change: within one tick
 * of the TSC, and where the CPUs' TSCs differ, it runs ahead, and tsc_sum makes up for it.
 */
#ifndef VPERFCTR_STATE_H
#define VPERFCTR_STATE_H

#include <linux/compiler.h>
#include <linux/types.h>

struct vperfctr;
struct vperfctr_state;
struct vperfctr_sum_ctrs;

u64 vperfctr_tsc(void);	/* as user space reads it, not a clock that the kernel has corrected */

/*
 * All of these: preemption off, and the caller is the owner, or there is none (any more).
 * Brings the page up to date; from then on the thread is @running or not. @fresh: counters that run are read first.
 */
void vperfctr_update(struct vperfctr *v, bool running, bool fresh);
/* The same, at a switch, of who has no slots: it was running, or was not. */
void vperfctr_leave(struct vperfctr *v);
void vperfctr_come(struct vperfctr *v);
/*
 * Slots without maps are read, and sums written both to the page and to the caller, who is the owner and runs. EFAULT: not
 * all of it could be written, as what is not in memory is not fetched.
 */
int vperfctr_tell(struct vperfctr *v, struct vperfctr_sum_ctrs __user *to);
/* perf has moved a counter, on this CPU, in any context; also in the midst of the above, which then begin anew. */
void vperfctr_update_moved(struct vperfctr *v);
/* Settings as in v->control, v->slots and v->kept; @tsc_sum is where the virtual TSC begins. */
void vperfctr_show_control(struct vperfctr *v, u64 tsc_sum, bool running);
/* Of a copy that has never run: the settings are all that there is. */
void vperfctr_show_copy(struct vperfctr *v);
void vperfctr_show_status(struct vperfctr *v, u64 set, u64 clear);

/* Under lock: @page tells what v->first does; the owner, or whoever finds none, goes on in v->page. */
void vperfctr_show_first(const struct vperfctr *v, struct vperfctr_state *page);
void vperfctr_turn_page(struct vperfctr *v);

/* Now; in any context, but within the above. */
u64 vperfctr_virtual_tsc(const struct vperfctr *v);
/* The virtual TSC and status as of the last update, also while the owner runs elsewhere. */
void vperfctr_peek(const struct vperfctr *v, u64 *tsc, u64 *cstatus);

#endif
