/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_choose.h -- from what the user asked for to what the counters are programmed with.
 */
#ifndef OP_EVENT_CHOOSE_H
#define OP_EVENT_CHOOSE_H

#include "libop/base/message.h"
#include "libop/event.h"
#include "libop/event_spec.h"

#define OP_MAX_EVENTS	64	/* in one session */

struct op_event_choice {
	const struct op_event *event;	/* of the table */
	uint64_t count;
	uint32_t um, extra;		/* the unit mask as a number, and OP_EXTRA_* */
	const char *um_name;		/* of the table; NULL when the mask has no name */
	int kernel, user;
	int counter;			/* as in counter_alloc.h; -1: takes none (ext:) */
	uint64_t config, config1;	/* what perf's raw events want */
};

enum op_choose_flags {
	OP_CHOOSE_ANY_COUNT = 1,	/* do not hold counts against the events' minimum */
	OP_CHOOSE_NO_COUNTERS = 2,	/* do not allocate: counters are somebody else's business */
};

/*
 * Everything of the CPU that events can be chosen from: our own table and libpfm4's events. Free it
 * with op_event_table_free(). @events_dir NULL: op_events_dir(). For OP_CPU_TIMER: event TIMER alone.
 */
int op_events_load(struct op_event_table **ret, const struct op_cpu_desc *cpu,
		   const char *events_dir, struct op_message *msg);

/* One event's name and unit mask, without counter. The same errors as below. */
int op_event_resolve(struct op_event_choice *ret, struct op_event_table *table,
		     const struct op_event_spec *spec, unsigned int flags, struct op_message *msg);

/*
 * Resolves @nr events and gives each a counter of @available (op_counter_mask()). Returns 0,
 * OP_ERR_EVENT_UNKNOWN, OP_ERR_EVENT_UM, OP_ERR_EVENT_COUNT or OP_ERR_EVENT_CHOICE, with @msg saying
 * which event is wrong and what would be right.
 */
int op_events_choose(struct op_event_choice *ret, struct op_event_table *table,
		     const struct op_event_spec *specs, size_t nr, uint64_t available,
		     unsigned int flags, struct op_message *msg);

/* The CPU's default event ("CPU_CLK_UNHALTED:100000:0:1:1"), NULL when we have no events for it. */
const char *op_default_event(const struct op_cpu_desc *cpu);

#endif
