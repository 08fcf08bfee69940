// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/moved.c -- see moved.h.
 */
#include "vperfctr/moved.h"

#include <linux/sched.h>

#include "vperfctr/object.h"
#include "vperfctr/slots.h"
#include "vperfctr/state.h"

/*
 * Everybody's events come here. Ours of the running thread are on this CPU, and their object lets go of slots with
 * preemption off, so what is found stays. Between a switch and its notifier nothing needs to be told.
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
