/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h -- libvperf_names: translation of the event names that ophelp lists into slots of
 * libvperf. It is a separate library because it contains the event tables of libop and has their
 * licence.
 */
#ifndef VPERF_NAMES_H
#define VPERF_NAMES_H

#include <stddef.h>

#include "libvperf/vperf.h"

/*
 * Translate @event (NAME[:UNITMASK[:KERNEL[:USER]]]) into the slot *@ret, by this CPU's event
 * tables. Return 0, or a negative errno with a message in @why. If the CPU has several kinds of
 * cores, use the first kind that has the event.
 */
int vperf_names_find(struct vperfctr_pmc *ret, const char *event, char *why, size_t size);

#endif
