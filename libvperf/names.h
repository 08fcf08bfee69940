/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h -- libvperf_names: every event that ophelp lists, as a slot of libvperf. A library beside it, as it knows
 * tables of events (libop) and has their licence.
 */
#ifndef VPERF_NAMES_H
#define VPERF_NAMES_H

#include <stddef.h>

#include "libvperf/vperf.h"

/*
 * @event: NAME[:UNITMASK[:KERNEL[:USER]]] of this CPU's events. 0, or negative and the reason in @why. Of a CPU with
 * several kinds of core, it is the code of the first that has the event.
 */
int vperf_names_find(struct vperfctr_pmc *ret, const char *event, char *why, size_t size);

#endif
