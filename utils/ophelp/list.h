/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.h -- what ophelp prints about the events of a CPU, and the formats it prints them in.
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
	const struct op_event *const *events;	/* those to be shown, in order */
	size_t nr_events;
	unsigned int min_factor;	/* of minimum counts: stacks make every sample dearer */
	bool details;			/* they were asked for by name */
};

struct help_format {
	/* Writes them all. 0, or negative errno with @msg; what @to says of itself is checked
	 * later. */
	int (*write)(FILE *to, const struct help_subject *subject, struct op_reason *error);
};

extern const struct help_format help_text, help_xml, help_json;

/* The event's counters that this CPU has, general ones in the low and fixed ones in the high
 * half. */
uint64_t help_counters(const struct help_subject *subject, const struct op_event *event);

/* Whether it can be counted by every general counter. */
bool help_counters_all(const struct help_subject *subject, const struct op_event *event);

/* The minimum count with the factor, at most what a count can be. */
uint32_t help_min_count(const struct help_subject *subject, const struct op_event *event);

/* Whether there is anything to choose, or to know, about its unit mask. */
bool help_has_masks(const struct op_event *event);

/* "mandatory", "bitmask" or "exclusive". */
const char *help_um_type(const struct op_unit_mask *um);

#endif
