/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.h -- the list of a CPU's events, and ophelp's output formats.
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
	/* events to print, in the order of output */
	const struct op_event *const *events;
	size_t nr_events;
	/* factor by which minimum sampling periods are multiplied: a sample with a call stack costs
	 * more */
	unsigned int min_factor;
	/* whether to print details of the events, because the command line names the events */
	bool details;
};

struct help_format {
	/* Print all events to @to in this format. Return 0, or a negative errno with a message in
	 * @error. The caller checks @to for write errors. */
	int (*write)(FILE *to, const struct help_subject *subject, struct op_reason *error);
};

extern const struct help_format help_text, help_xml, help_json;

/* Return a mask of the counters of this CPU that can count the event. The lower half has the
 * general counters, the upper half the fixed counters. */
uint64_t help_counters(const struct help_subject *subject, const struct op_event *event);

/* Return whether every general counter can count the event. */
bool help_counters_all(const struct help_subject *subject, const struct op_event *event);

/* Return the minimum sampling period of the event: the event's minimum times .min_factor, but at
 * most the largest value of a counter. */
uint32_t help_min_count(const struct help_subject *subject, const struct op_event *event);

/* Return whether the event has unit masks to print. */
bool help_has_masks(const struct op_event *event);

/* Return the unit mask that is used if the user gives none; 0 for OFFCPU, which then samples all
 * reasons of waits. */
uint32_t help_um_default(const struct op_event *event);

/* Return the type of the unit masks as a word: "mandatory", "bitmask" or "exclusive". */
const char *help_um_type(const struct op_unit_mask *um);

#endif
