/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h -- the events and unit masks of a CPU: one table per CPU.
 *
 * libop/event/file.h reads our own events into a table, and libop/event/pfm.h adds further events
 * of libpfm4. The table owns its events and unit masks; pointers to them stay valid until the table
 * is freed.
 */
#ifndef OP_EVENT_H
#define OP_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/cpu/type.h"

/* Bits of .extra, which a unit mask sets in the event-select register, in addition to the
 * register's fields for event code and unit mask. */
/* flag of the register: count rising edges of the event's signal */
#define OP_EXTRA_EDGE	(1u << 18)
/* not a bit of the register: the CPU can sample the event precisely (PEBS) */
#define OP_EXTRA_PEBS	(1u << 19)
/* flag of the register: count the events of both threads of the core */
#define OP_EXTRA_ANY	(1u << 21)
/* not a bit of the register: marks a named value that sets no extra bits */
#define OP_EXTRA_NONE	(1u << 22)
/* flag of the register: count cycles with fewer than cmask events */
#define OP_EXTRA_INV	(1u << 23)
/* position of the field cmask in the register: count cycles with at least cmask events */
#define OP_EXTRA_CMASK_SHIFT	24
#define OP_EXTRA_REGISTER	(OP_EXTRA_EDGE | OP_EXTRA_ANY | OP_EXTRA_INV | \
				 0xffu << OP_EXTRA_CMASK_SHIFT)

enum op_um_type {
	OP_UM_MANDATORY,	/* the unit mask has a single value, which always applies */
	OP_UM_BITMASK,		/* the user may choose any combination of the unit mask's values */
	OP_UM_EXCLUSIVE,	/* the user must choose exactly one of the unit mask's values */
};

struct op_um_value {
	uint32_t value;
	uint32_t extra;		/* OP_EXTRA_* bits of the value */
	/* contents of an additional register (perf's config1), for Intel's offcore and front-end
	 * events */
	uint64_t config1;
	/* name of the value; NULL: the user must choose the value by its number */
	char *name;
	char *desc;
};

struct op_unit_mask {
	char *name;
	enum op_um_type type;
	uint32_t default_value;
	/* name of the default value; NULL: the default is the value with the number
	 * .default_value */
	char *default_name;
	struct op_um_value *values;
	size_t nr_values;
	char *file;		/* path of the file that defines the unit mask, for messages */
	unsigned int line;
	int used;		/* 1: an event uses this unit mask; 0: no event does */
};

enum op_event_source {
	OP_EVENT_CURATED,	/* the event is from an events file of OProfile */
	OP_EVENT_PFM,		/* the event is from libpfm4 */
	/* the event is rNNNN; its table entry is created at the first use */
	OP_EVENT_RAW,
};

struct op_event {
	char *name;
	char *desc;
	/* code of the event; it has up to 12 bits on AMD CPUs and 16 bits on ARM CPUs */
	uint32_t code;
	/* mask of the counters that can count the event, numbered as in counter_alloc.h; all ones:
	 * any counter */
	uint64_t counters;
	uint32_t min_count;
	struct op_unit_mask *unit_mask; /* the event's unit mask; never NULL */
	/* CPU feature that counts the event, such as "ibs_op"; NULL: a counter of the CPU counts
	 * it */
	char *ext;
	enum op_event_source source;
	/* OP_EVENT_RAW: contents of the event-select register; tracepoint: its id in tracefs */
	uint64_t raw;
	char *file;		/* path of the file that defines the event; NULL: no file */
	unsigned int line;
};

struct op_event_table {
	const struct op_cpu_desc *cpu;
	struct op_event **events;	/* events, in order of definition */
	size_t nr_events;
	struct op_unit_mask **unit_masks;
	size_t nr_unit_masks;
	/* mount point of tracefs, owned by the caller; NULL: search for the mount point */
	const char *tracefs;
};

/* Return an empty table, or NULL if memory is short. */
struct op_event_table *op_event_table_new(const struct op_cpu_desc *cpu);
void op_event_table_free(struct op_event_table *table);

/* Add an event or a unit mask to the table, which then owns it. Return 0 or -ENOMEM. */
int op_event_table_add_event(struct op_event_table *table, struct op_event *event);
int op_event_table_add_unit_mask(struct op_event_table *table, struct op_unit_mask *um);

/* Free an event or a unit mask that is not in a table. */
void op_event_free(struct op_event *event);
void op_unit_mask_free(struct op_unit_mask *um);

/* Append a value to the unit mask; @name may be NULL. Return 0 or -ENOMEM. */
int op_unit_mask_add_value(struct op_unit_mask *um, uint32_t value, uint32_t extra,
			   const char *name, const char *desc);

/*
 * Return the event @name, or NULL. Ignore case, unless the table contains two names that differ
 * only in case. The event rNNNN (hexadecimal) always exists: NNNN is the contents of the
 * event-select register without the enable, interrupt and privilege bits.
 */
const struct op_event *op_event_find(struct op_event_table *table, const char *name);

/* Return the unit mask @name, or NULL. */
struct op_unit_mask *op_unit_mask_find(const struct op_event_table *table, const char *name);

/* op_um_value_by_name(): return the value of @um with the name @name, ignoring case.
 * op_um_value_by_number(): return the first value with the number. NULL: no such value. */
const struct op_um_value *op_um_value_by_name(const struct op_unit_mask *um, const char *name);
const struct op_um_value *op_um_value_by_number(const struct op_unit_mask *um, uint32_t value);

/* Return the default value of the unit mask, or NULL if the default is a combination of values. */
const struct op_um_value *op_um_default(const struct op_unit_mask *um);

/* Return whether @value is a valid value of the unit mask. */
bool op_um_valid(const struct op_unit_mask *um, uint32_t value);

/* Return whether the event needs two adjacent counters, because one counter has too few bits
 * (floating-point operations on Zen). The kernel's perf uses pairs of counters for such events. */
bool op_event_is_pair(const struct op_cpu_desc *cpu, const struct op_event *event);

/* Return the contents of the event-select register for the event. This is also perf's config for
 * PERF_TYPE_RAW. */
uint64_t op_event_config(const struct op_cpu_desc *cpu, const struct op_event *event,
			 uint32_t um, uint32_t extra);

#endif
