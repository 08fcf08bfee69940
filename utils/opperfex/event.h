/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h -- conversion of an event of opperfex to a slot of libvperf.
 */
#ifndef UTILS_OPPERFEX_EVENT_H
#define UTILS_OPPERFEX_EVENT_H

#include "libop/base/reason.h"
#include "libvperf/vperf.h"

/*
 * Add @event to @v. An event is: perf's name or rCODE with :u, :k or :uk; a name of the CPU's
 * events with its unit mask; or 0xEVNTSEL[@N] as in perfctr's perfex, the contents of an x86
 * event-select register. The counter N is ignored: the kernel chooses a counter. Return 0, or a
 * negative errno with a message in @error.
 */
int perfex_event_add(struct vperf *v, const char *event, struct op_reason *error);

#endif
