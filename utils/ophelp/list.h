/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.h -- the list of a CPU's events, and the output formats.
 */
#ifndef UTILS_OPHELP_LIST_H
#define UTILS_OPHELP_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "libop/cpu/detect.h"
#include "libop/event/event.h"

struct help_subject {
	const struct op_cpu_found *cpu;
	/* events, in the order of output */
	const struct op_event *const *events;
	size_t nr_events;
	/* factor for minimum counts: a sample with a call stack costs more */
	unsigned int min_factor;
	bool details;			/* the command line names the events, so print details */
};

struct help_format {
	/* Print all events to @to. Return 0, or a negative errno with a message in @error. The
	 * caller checks @to for write errors. */
	int (*write)(FILE *to, const struct help_subject *subject, struct op_reason *error);
};

extern const struct help_format help_text, help_xml, help_json;

/* Return the counters of this CPU that can count the event: a mask of general counters in the low
 * half, and of fixed counters in the high half. */
uint64_t help_counters(const struct help_subject *subject, const struct op_event *event);

/* Return whether every general counter can count the event. */
bool help_counters_all(const struct help_subject *subject, const struct op_event *event);

/* Return the event's minimum count times the factor, limited to the largest count. */
uint32_t help_min_count(const struct help_subject *subject, const struct op_event *event);

/* Return whether the event has unit masks to print. */
bool help_has_masks(const struct op_event *event);

/* Return "mandatory", "bitmask" or "exclusive". */
const char *help_um_type(const struct op_unit_mask *um);

#endif
