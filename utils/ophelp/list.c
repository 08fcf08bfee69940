// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list.c -- properties of events that all output formats of ophelp print.
 */
#include "config.h"
#include "utils/ophelp/list.h"

#include <stdbool.h>

#include "libop/event/any_cpu.h"

uint64_t help_counters(const struct help_subject *subject, const struct op_event *event)
{
	uint64_t counters = event->counters &
		op_counter_mask(subject->cpu->counters, subject->cpu->fixed);

	/* Fixed counters are in the upper half of the mask. Remove them for events from libpfm4,
	 * which cannot use fixed counters. */
	return event->source == OP_EVENT_CURATED ? counters : counters & UINT32_MAX;
}

bool help_counters_all(const struct help_subject *subject, const struct op_event *event)
{
	uint64_t general = op_counter_mask(subject->cpu->counters, 0);

	return (help_counters(subject, event) & general) == general;
}

uint32_t help_min_count(const struct help_subject *subject, const struct op_event *event)
{
	uint64_t count = (uint64_t)event->min_count * subject->min_factor;

	return count < INT32_MAX ? count : INT32_MAX;
}

bool help_has_masks(const struct op_event *event)
{
	const struct op_unit_mask *um = event->unit_mask;

	return um->nr_values > 1 || um->values[0].name;
}

uint32_t help_um_default(const struct op_event *event)
{
	const struct op_um_value *def = op_um_default(event->unit_mask);

	if (op_event_samples_waits(event))
		return 0;
	return def ? def->value : event->unit_mask->default_value;
}

const char *help_um_type(const struct op_unit_mask *um)
{
	switch (um->type) {
	case OP_UM_MANDATORY:
		return "mandatory";
	case OP_UM_BITMASK:
		return "bitmask";
	default:
		return "exclusive";
	}
}
