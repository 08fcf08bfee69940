/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h -- from an event as opperfex takes it to a slot of libvperf.
 */
#ifndef UTILS_OPPERFEX_EVENT_H
#define UTILS_OPPERFEX_EVENT_H

#include "libop/base/reason.h"
#include "libvperf/vperf.h"

/*
 * Adds @event to @v: perf's name or rCODE with :u, :k, :uk; a name of the CPU's events with its
 * unit mask; or, as perfex has them, 0xEVNTSEL[@N]: what goes into an x86 event-select register. N,
 * the counter it was for, is the kernel's business now. 0, or negative with @error.
 */
int perfex_event_add(struct vperf *v, const char *event, struct op_reason *error);

#endif
