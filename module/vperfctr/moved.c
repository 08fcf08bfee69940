// SPDX-License-Identifier: GPL-2.0
/* vperfctr/moved.c -- handling of events that perf moves to another hardware counter while their
 * thread runs. */
#include "vperfctr/moved.h"

#include <linux/sched.h>

#include "vperfctr/object.h"
#include "vperfctr/slots.h"
#include "vperfctr/state.h"

/*
 * Update the page if @event is a slot of the running thread. Called for all perf events of all
 * users. The slots of the running thread are on this CPU, and v->slots changes only with preemption
 * off, so the object stays valid during this function. An event that moves between a context switch
 * and the switch's notifier needs no update here, because the notifier updates the page.
 */
void vperfctr_moved(struct perf_event *event)
{
	const struct vperfctr_slot *slot = vperfctr_slot_of(event);
	struct vperfctr *v;

	if (!slot || !slot->slots->maps)
		return;
	v = slot->slots->v;
	if (READ_ONCE(v->owner) == current && READ_ONCE(v->slots) == slot->slots)
		vperfctr_update_moved(v);
}
