// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * for_module.c -- check of events against the kernel module's limits.
 */
#include "config.h"
#include "libop/event/for_module.h"

#include <string.h>

#include "libop/base/error.h"
#include "libop/event/any_cpu.h"

int op_events_for_module(const struct op_event_choice *choices, size_t nr, struct op_reason *msg)
{
	for (size_t i = 0; i < nr; i++) {
		const struct op_event *event = choices[i].event;

		if (nr > 1 && event->ext && !strcmp(event->ext, OP_EVENT_EXT_TIMER))
			return op_fail(msg, OP_ERR_EVENT_CHOICE,
				       OP_EVENT_TIMER " and other events cannot "
						      "be sampled together by the kernel module");
		if (op_event_is_software(event))
			return op_fail(msg, OP_ERR_EVENT_CHOICE,
				       "%s is a software event, which the kernel module "
				       "does not sample",
				       event->name);
		if (choices[i].config1)
			return op_fail(msg, OP_ERR_EVENT_CHOICE,
				       "event %s needs a register that the "
				       "kernel module does not set",
				       event->name);
	}
	if (nr > OP_MODULE_EVENTS)
		return op_fail(msg, OP_ERR_EVENT_CHOICE,
			       "the kernel module samples at most %d events", OP_MODULE_EVENTS);
	return 0;
}
