/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose.h -- translation of the user's events into settings of the CPU's counters.
 */
#ifndef OP_EVENT_CHOOSE_H
#define OP_EVENT_CHOOSE_H

#include "libop/base/reason.h"
#include "libop/event/event.h"
#include "libop/event/spec.h"

#define OP_MAX_EVENTS	64	/* maximum number of events in one session */

struct op_event_choice {
	const struct op_event *event;	/* the event; the event table owns it */
	uint64_t count;
	uint32_t um, extra;		/* .um: number of the unit mask; .extra: bits OP_EXTRA_* */
	/* name of the unit mask, owned by the event table; NULL: the mask has no name */
	const char *um_name;
	int kernel, user;
	/* counter, numbered as in counter_alloc.h; -1: the event needs no counter (ext:) */
	int counter;
	/* number of the event's group (OP_CHOOSE_GROUPS): the groups are counted in turn */
	unsigned int group;
	/* values of perf_event_attr for a raw event of perf_events */
	uint64_t config, config1;
};

enum op_choose_flags {
	OP_CHOOSE_ANY_COUNT = 1,	/* flag: allow counts below the minimum of an event */
	OP_CHOOSE_NO_COUNTERS = 2,	/* flag: do not allocate counters */
	/* If there are more events than counters, form groups that are counted in turn, a time
	 * slice each. */
	OP_CHOOSE_GROUPS = 4,
};

/*
 * Load all events of the CPU: those of the tree's own table, those of libpfm4, and those of any
 * CPU. op_event_table_free() frees the table. @events_dir: NULL as for op_event_file_load(). For
 * OP_CPU_TIMER the table has only the events of any CPU.
 */
int op_events_load(struct op_event_table **ret, const struct op_cpu_desc *cpu,
		   const char *events_dir, struct op_reason *error);

/* Resolve the name and unit mask of one event, without a counter. Errors as for
 * op_events_choose(). */
int op_event_resolve(struct op_event_choice *ret, struct op_event_table *table,
		     const struct op_event_spec *spec, unsigned int flags, struct op_reason *error);

/*
 * Resolve @nr events and allocate a counter to each of them; @available is the set of counters
 * (op_counter_mask()). Return 0, or OP_ERR_EVENT_UNKNOWN, OP_ERR_EVENT_UM, OP_ERR_EVENT_COUNT or
 * OP_ERR_EVENT_CHOICE with a message that names the wrong event and the valid choices.
 */
int op_events_choose(struct op_event_choice *ret, struct op_event_table *table,
		     const struct op_event_spec *specs, size_t nr, uint64_t available,
		     unsigned int flags, struct op_reason *error);

/*
 * Allocate a counter and a group to each resolved event; @available is the set of counters. Return
 * 0, or OP_ERR_EVENT_CHOICE with a message. @flags: OP_CHOOSE_GROUPS.
 */
int op_events_allocate(struct op_event_choice *choices, size_t nr, uint64_t available,
		       unsigned int flags, struct op_reason *error);

/*
 * Return the number that stands for the unit mask in the names and headers of sample files
 * (doc/sample-file.md). Bits 0 to 7 are the number of the mask. Bits 16 and above are its bits
 * OP_EXTRA_REGISTER. Bits 8 to 15 distinguish masks that are equal in all other bits.
 */
uint32_t op_choice_um_word(const struct op_event_choice *choice);

/*
 * Decode a word made by op_choice_um_word() into *@um and *@extra. Return the value of @event's
 * unit mask, or NULL if the word is a combination of several values or unknown.
 */
const struct op_um_value *op_um_from_word(const struct op_event *event, uint32_t word, uint32_t *um,
					  uint32_t *extra);

/* Write "NAME:COUNT:UM:KERNEL:USER", with the name of the unit mask if it has one. */
void op_choice_text(const struct op_event_choice *choice, char *text, size_t size);

/* Return the CPU's default event ("CPU_CLK_UNHALTED:100000:0:1:1"), or NULL if no table of events
 * exists for the CPU. */
const char *op_default_event(const struct op_cpu_desc *cpu);

/*
 * Return the event that the alternative name @name refers to, if @name is not itself an event of
 * @table, and set the mask; NULL stands for the default mask. Return NULL if @name is unknown. An
 * alternative name is EVENT.MASK, as in Linux perf and Intel's lists, or EVENT_MASK, as in OProfile
 * 1.4's tables, where such a mask is an event of its own. An event without masks may have an
 * alternative name, too (inst_retired.any). Declared for tests.
 */
const struct op_event *op_event_alias(const struct op_event_table *table, const char *name,
				      const struct op_um_value **ret_um);

/* maximum number of events that the kernel module samples together: the number of directories in
 * oprofilefs */
#define OP_MODULE_EVENTS	32

/*
 * Check whether the kernel module can sample these resolved events together, if it can use the
 * machine's counters. Return 0, or OP_ERR_EVENT_CHOICE with a message.
 */
int op_events_for_module(const struct op_event_choice *choices, size_t nr, struct op_reason *error);

#endif
