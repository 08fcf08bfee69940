/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose.h -- from what the user asked for to what the counters are programmed with.
 */
#ifndef OP_EVENT_CHOOSE_H
#define OP_EVENT_CHOOSE_H

#include "libop/base/reason.h"
#include "libop/event/event.h"
#include "libop/event/spec.h"

#define OP_MAX_EVENTS	64	/* in one session */

struct op_event_choice {
	const struct op_event *event;	/* of the table */
	uint64_t count;
	uint32_t um, extra;		/* the unit mask as a number, and OP_EXTRA_* */
	const char *um_name;		/* of the table; NULL when the mask has no name */
	int kernel, user;
	int counter;			/* as in counter_alloc.h; -1: takes none (ext:) */
	unsigned int group;		/* OP_CHOOSE_GROUPS: counted in turn with the other groups */
	uint64_t config, config1;	/* what perf's raw events want */
};

enum op_choose_flags {
	OP_CHOOSE_ANY_COUNT = 1,	/* do not hold counts against the events' minimum */
	OP_CHOOSE_NO_COUNTERS = 2,	/* do not allocate: counters are somebody else's business */
	/* More events than counters are no error: groups of events take turns, time slice by slice. */
	OP_CHOOSE_GROUPS = 4,
};

/*
 * Load everything of the CPU that events can be chosen from: our own table, libpfm4's events, and the events of any CPU.
 * Free it with op_event_table_free(). @events_dir NULL: as op_event_file_load(). OP_CPU_TIMER has only the latter.
 */
int op_events_load(struct op_event_table **ret, const struct op_cpu_desc *cpu,
		   const char *events_dir, struct op_reason *msg);

/* One event's name and unit mask, without counter. The same errors as below. */
int op_event_resolve(struct op_event_choice *ret, struct op_event_table *table,
		     const struct op_event_spec *spec, unsigned int flags, struct op_reason *msg);

/*
 * Resolves @nr events and gives each a counter of @available (op_counter_mask()). Returns 0,
 * OP_ERR_EVENT_UNKNOWN, OP_ERR_EVENT_UM, OP_ERR_EVENT_COUNT or OP_ERR_EVENT_CHOICE, with @msg saying
 * which event is wrong and what would be right.
 */
int op_events_choose(struct op_event_choice *ret, struct op_event_table *table,
		     const struct op_event_spec *specs, size_t nr, uint64_t available,
		     unsigned int flags, struct op_reason *msg);

/*
 * Gives resolved events the counters of @available: counter and group of each. 0 or
 * OP_ERR_EVENT_CHOICE with @msg; @flags: OP_CHOOSE_GROUPS.
 */
int op_events_allocate(struct op_event_choice *choices, size_t nr, uint64_t available,
		       unsigned int flags, struct op_reason *msg);

/*
 * The unit mask as the names and headers of sample files have it, so that masks which share a number
 * stay apart (doc/sample-file.md): bits 0 to 7 the number; from bit 16 on OP_EXTRA_REGISTER; bits 8 to
 * 15 which of several that have all this in common.
 */
uint32_t op_choice_um_word(const struct op_event_choice *choice);

/*
 * What such a word says: *@um, *@extra, and the value of @event's unit mask that it is, NULL when it
 * is a combination of several or none of them.
 */
const struct op_um_value *op_um_from_word(const struct op_event *event, uint32_t word, uint32_t *um,
					  uint32_t *extra);

/* "NAME:COUNT:UM:KERNEL:USER" with the unit mask's name where it has one. */
void op_choice_text(const struct op_event_choice *choice, char *text, size_t size);

/* The CPU's default event ("CPU_CLK_UNHALTED:100000:0:1:1"), NULL when we have no events for it. */
const char *op_default_event(const struct op_cpu_desc *cpu);

#endif
