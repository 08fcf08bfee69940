/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * any_cpu.h -- events that do not need a counter of the CPU: TIMER, and the software events of
 * perf_events.
 */
#ifndef OP_EVENT_ANY_CPU_H
#define OP_EVENT_ANY_CPU_H

#include <stdbool.h>

#include "libop/event/event.h"
#include "libop/event/perf_names.h"

#define OP_EVENT_EXT_TIMER	"timer"		/* value of .ext for the event TIMER */
#define OP_EVENT_EXT_SOFTWARE	"software"	/* value of .ext for software events */

/* Add TIMER and the software events to @table. Return 0 or -ENOMEM. */
int op_event_any_cpu_add(struct op_event_table *table);

/* Return the software event that can be sampled under @name, or NULL. The clocks are sampled as
 * TIMER. */
const struct op_perf_name *op_event_software_find(const char *name);

/* Return whether the event named @name, as users write it, can be sampled on any CPU. */
bool op_event_is_of_any_cpu(const char *name);

bool op_event_is_software(const struct op_event *event);

#endif
