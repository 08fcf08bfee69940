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
	const struct op_event *event;	/* the event, owned by the event table */
	uint64_t count;
	/* .um: number of the chosen unit mask; .extra: OP_EXTRA_* bits of the mask */
	uint32_t um, extra;
	/* name of the unit mask, owned by the event table; NULL: the mask has no name */
	const char *um_name;
	int kernel, user;
	/* allocated counter, numbered as in counter_alloc.h; -1: the event does not use a counter,
	 * because a CPU feature (ext:) counts it */
	int counter;
	/* number of the event's group (OP_CHOOSE_GROUPS). The groups are multiplexed: only one
	 * group is counted at a time */
	unsigned int group;
	/* .config and .config1 of struct perf_event_attr, for a raw event of perf_events */
	uint64_t config, config1;
};

enum op_choose_flags {
	OP_CHOOSE_ANY_COUNT = 1,	/* flag: allow counts below the minimum count of an event */
	OP_CHOOSE_NO_COUNTERS = 2,	/* flag: do not allocate counters */
	/* flag: if there are more events than counters, form groups of events, which are counted in
	 * turn */
	OP_CHOOSE_GROUPS = 4,
};

/*
 * Load all events of the CPU: the events in OProfile's own tables, the events of libpfm4, and the
 * events that exist on any CPU. The caller frees the table with op_event_table_free(). @events_dir:
 * root directory of tables, or NULL; see op_event_file_load(). For OP_CPU_TIMER, load only the
 * events that exist on any CPU.
 */
int op_events_load(struct op_event_table **ret, const struct op_cpu_desc *cpu,
		   const char *events_dir, struct op_reason *error);

/* Resolve the name and unit mask of one event, without allocating a counter. The errors are the
 * same as those of op_events_choose(). */
int op_event_resolve(struct op_event_choice *ret, struct op_event_table *table,
		     const struct op_event_spec *spec, unsigned int flags, struct op_reason *error);

/*
 * Resolve @nr events and allocate a counter for each. @available: mask of the existing counters
 * (op_counter_mask()). Return 0, or OP_ERR_EVENT_UNKNOWN, OP_ERR_EVENT_UM, OP_ERR_EVENT_COUNT or
 * OP_ERR_EVENT_CHOICE, with a message that names the invalid event and the valid choices.
 */
int op_events_choose(struct op_event_choice *ret, struct op_event_table *table,
		     const struct op_event_spec *specs, size_t nr, uint64_t available,
		     unsigned int flags, struct op_reason *error);

/* Allocate a counter and a group for each resolved event. @available: mask of the existing
 * counters. @flags: OP_CHOOSE_GROUPS or 0. Return 0, or OP_ERR_EVENT_CHOICE with a message. */
int op_events_allocate(struct op_event_choice *choices, size_t nr, uint64_t available,
		       unsigned int flags, struct op_reason *error);

/*
 * Return the number that represents the unit mask in the names and headers of sample files
 * (doc/sample-file.md). Bits 0 to 7 contain the number of the mask. Bits 16 and above contain the
 * mask's OP_EXTRA_REGISTER bits. Bits 8 to 15 contain a number that is different for masks with
 * equal other bits.
 */
uint32_t op_choice_um_word(const struct op_event_choice *choice);

/* Decode a number from op_choice_um_word() into *@um and *@extra. Return the value of @event's unit
 * mask, or NULL if the number is unknown or combines several values. */
const struct op_um_value *op_um_from_word(const struct op_event *event, uint32_t word, uint32_t *um,
					  uint32_t *extra);

/* Write the event as "NAME:COUNT:UM:KERNEL:USER". UM is the name of the unit mask, or its number if
 * it has no name. */
void op_choice_text(const struct op_event_choice *choice, char *text, size_t size);

/* Return the default event of the CPU ("CPU_CLK_UNHALTED:100000:0:1:1"), or NULL if the CPU has
 * no event table. */
const char *op_default_event(const struct op_cpu_desc *cpu);

/*
 * Return the event for which @name is an alternative name, and set the unit mask (NULL: the default
 * mask). Return NULL if @name is unknown, or is itself an event of @table. An alternative name is
 * EVENT.MASK, as in Linux perf and Intel's lists, or EVENT_MASK, as in OProfile 1.4's tables, which
 * have some masks as separate events. An event without masks may also have an alternative name
 * (inst_retired.any). Declared for tests.
 */
const struct op_event *op_event_alias(const struct op_event_table *table, const char *name,
				      const struct op_um_value **ret_um);

/* Check the events that the profiler makes. OFFCPU: a thread has one account, and so one period,
 * for all reasons of waits. LATENCY: it needs TIMER with the same count, and OFFCPU. Return 0, or
 * OP_ERR_EVENT_CHOICE with a message. */
int op_events_check_made(const struct op_event_choice *choices, size_t nr, struct op_reason *error);

/* maximum number of events that the kernel module can sample together: the number of event
 * directories in oprofilefs */
#define OP_MODULE_EVENTS	32

/* Check whether the kernel module can sample these resolved events together, provided that it
 * can use the counters of this machine. Return 0, or OP_ERR_EVENT_CHOICE with a message. */
int op_events_for_module(const struct op_event_choice *choices, size_t nr, struct op_reason *error);

#endif
