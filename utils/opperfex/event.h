/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h -- converts the event names of opperfex to slots of libvperf.
 */
#ifndef UTILS_OPPERFEX_EVENT_H
#define UTILS_OPPERFEX_EVENT_H

#include "libop/base/reason.h"
#include "libvperf/vperf.h"

/*
 * Add @event to the events of @v. @event is a perf name or rCODE, with modifiers :u, :k or :uk; or
 * a name in the CPU's event tables, with a unit mask; or, as in perfctr's perfex, the contents of
 * an x86 event-select register, 0xEVNTSEL[@N]. The counter number N is ignored: the kernel chooses
 * the counter. Return 0, or a negative errno with a message in @error.
 */
int perfex_event_add(struct vperf *v, const char *event, struct op_reason *error);

#endif
