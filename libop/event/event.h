/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h -- the events a CPU can count, with their unit masks: one table per CPU.
 *
 * A table is filled by libop/event/file.h (our own words) and then libop/event/pfm.h (whatever else libpfm4
 * knows of the CPU), and owns everything in it. Pointers to events and masks stay valid until the
 * table is freed.
 */
#ifndef OP_EVENT_H
#define OP_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/cpu/type.h"

/* Bits of "extra": what a unit mask sets in the event-select register besides itself. */
#define OP_EXTRA_EDGE	(1u << 18)	/* count rising edges */
#define OP_EXTRA_PEBS	(1u << 19)	/* fake: the event can be sampled precisely */
#define OP_EXTRA_ANY	(1u << 21)	/* any thread of the core */
#define OP_EXTRA_NONE	(1u << 22)	/* fake: nothing extra, but the name counts */
#define OP_EXTRA_INV	(1u << 23)	/* count cycles below cmask, not from it on */
#define OP_EXTRA_CMASK_SHIFT	24	/* count cycles with at least so many events */
#define OP_EXTRA_REGISTER	(OP_EXTRA_EDGE | OP_EXTRA_ANY | OP_EXTRA_INV | \
				 0xffu << OP_EXTRA_CMASK_SHIFT)

enum op_um_type {
	OP_UM_MANDATORY,	/* no choice: the one value always applies */
	OP_UM_BITMASK,		/* any values together */
	OP_UM_EXCLUSIVE,	/* one of the values */
};

struct op_um_value {
	uint32_t value;
	uint32_t extra;		/* OP_EXTRA_* */
	uint64_t config1;	/* what a second register needs (Intel's offcore and front-end events) */
	char *name;		/* NULL when it has none: then it is chosen by value */
	char *desc;
};

struct op_unit_mask {
	char *name;
	enum op_um_type type;
	uint32_t default_value;
	char *default_name;	/* the default is this named value; NULL: default_value */
	struct op_um_value *values;
	size_t nr_values;
	char *file;		/* where it is defined, for messages */
	unsigned int line;
	int used;		/* some event has it */
};

enum op_event_source {
	OP_EVENT_CURATED,	/* from an events file */
	OP_EVENT_PFM,		/* from libpfm4 */
	OP_EVENT_RAW,		/* rNNNN, made when asked for */
};

struct op_event {
	char *name;
	char *desc;
	uint32_t code;		/* AMD: 12 bits, ARM: 16 bits */
	uint64_t counters;	/* those that can count it, as in counter_alloc.h; all ones: any */
	uint32_t min_count;
	struct op_unit_mask *unit_mask; /* never NULL */
	char *ext;		/* not counted by a counter but by this feature ("ibs_op"), else NULL */
	enum op_event_source source;
	uint64_t raw;		/* OP_EVENT_RAW: the register's contents */
	char *file;		/* where it is defined, NULL when in no file */
	unsigned int line;
};

struct op_event_table {
	const struct op_cpu_desc *cpu;
	struct op_event **events;	/* in order of definition */
	size_t nr_events;
	struct op_unit_mask **unit_masks;
	size_t nr_unit_masks;
};

/* An empty table; NULL without memory. */
struct op_event_table *op_event_table_new(const struct op_cpu_desc *cpu);
void op_event_table_free(struct op_event_table *table);

/* Take what they are given when they succeed: 0 or -ENOMEM. */
int op_event_table_add_event(struct op_event_table *table, struct op_event *event);
int op_event_table_add_unit_mask(struct op_event_table *table, struct op_unit_mask *um);

/* Destructors for what no table has taken. */
void op_event_free(struct op_event *event);
void op_unit_mask_free(struct op_unit_mask *um);

/* Appends a value; @name may be NULL. 0 or -ENOMEM. */
int op_unit_mask_add_value(struct op_unit_mask *um, uint32_t value, uint32_t extra,
			   const char *name, const char *desc);

/*
 * An event by name, NULL when there is none. Case matters only where two names differ in nothing
 * else. rNNNN (hexadecimal) is always there: register contents without enable, interrupt and
 * privilege bits.
 */
const struct op_event *op_event_find(struct op_event_table *table, const char *name);

/* A unit mask by name. */
struct op_unit_mask *op_unit_mask_find(const struct op_event_table *table, const char *name);

/* A value by name (case does not matter) or number (the first one with it); NULL: none. */
const struct op_um_value *op_um_value_by_name(const struct op_unit_mask *um, const char *name);
const struct op_um_value *op_um_value_by_number(const struct op_unit_mask *um, uint32_t value);

/* The value that applies when the user gives none; NULL when it is a combination of bits. */
const struct op_um_value *op_um_default(const struct op_unit_mask *um);

/* Whether a number is a possible unit mask. */
bool op_um_valid(const struct op_unit_mask *um, uint32_t value);

/*
 * Whether it takes two counters of a kind at once, because one cannot keep up (floating-point operations
 * of Zen): the kernel's perf pairs them.
 */
bool op_event_is_pair(const struct op_cpu_desc *cpu, const struct op_event *event);

/* Contents of the event-select register (perf's PERF_TYPE_RAW config). */
uint64_t op_event_config(const struct op_cpu_desc *cpu, const struct op_event *event,
			 uint32_t um, uint32_t extra);

#endif
