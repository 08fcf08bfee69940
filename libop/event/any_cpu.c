// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * any_cpu.c -- events that do not need a counter of the CPU.
 */
#include "config.h"
#include "libop/event/any_cpu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "libop/event/spec.h"
#include "libop/raw/perf_names.h"
#include "module/uapi/offcpu.h"

static bool is_sampled(const struct op_perf_name *row)
{
	return row && row->type == PERF_TYPE_SOFTWARE && row->config != PERF_COUNT_SW_CPU_CLOCK &&
	       row->config != PERF_COUNT_SW_TASK_CLOCK;
}

const struct op_perf_name *op_event_software_find(const char *name)
{
	const struct op_perf_name *row = op_perf_name_find(name);

	return is_sampled(row) ? row : NULL;
}

bool op_event_is_of_any_cpu(const char *name)
{
	return op_event_is_timer(name) || op_event_is_offcpu(name) || op_event_is_latency(name) ||
	       op_event_software_find(name) ||
	       op_event_name_is_tracepoint(name);
}

bool op_event_is_software(const struct op_event *event)
{
	return event->ext && !strcmp(event->ext, OP_EVENT_EXT_SOFTWARE);
}

bool op_event_samples_waits(const struct op_event *event)
{
	return event->ext && !strcmp(event->ext, OP_EVENT_EXT_OFFCPU);
}

bool op_event_is_made(const struct op_event *event)
{
	return op_event_samples_waits(event) ||
	       (event->ext && !strcmp(event->ext, OP_EVENT_EXT_LATENCY));
}

#define NO_MASKS	"(any CPU)"	/* a name that cannot occur in a `unit_masks` file */

/* Return the unit mask for events without unit masks. If the table does not have it yet, add it.
 * The table owns the mask. Return NULL if memory is short. */
static struct op_unit_mask *add_unit_mask(struct op_event_table *table)
{
	struct op_unit_mask *um = op_unit_mask_find(table, NO_MASKS);

	if (um)
		return um;
	um = calloc(1, sizeof(*um));
	if (!um)
		return NULL;
	um->name = strdup(NO_MASKS);
	if (um->name && !op_unit_mask_add_value(um, 0, 0, NULL, "No unit mask") &&
	    !op_event_table_add_unit_mask(table, um))
		return um;
	op_unit_mask_free(um);
	return NULL;
}

#define REASONS	"(reasons of waits)"	/* see NO_MASKS */

enum op_idle_wait op_event_idle_wait(const char *event, uint32_t um)
{
	if (strcmp(event, OP_EVENT_OFFCPU))
		return OP_NOT_IDLE;
	switch (um) {
	case OPROFILE_OFFCPU_POLL:
		return OP_IDLE_POLL;
	case OPROFILE_OFFCPU_SLEEP:
		return OP_IDLE_SLEEP;
	case OPROFILE_OFFCPU_CONDITION:
		return OP_IDLE_CONDITION;
	default:
		return OP_NOT_IDLE;
	}
}

/* Add the unit mask of OFFCPU to the table, with a value for each reason. The table owns the mask.
 * Return NULL if memory is short. */
static struct op_unit_mask *add_reasons(struct op_event_table *table)
{
	static const struct {
		uint32_t value;
		const char *name, *desc;
	} reasons[] = {
#define X(id, number, name, desc) { number, name, desc },
		OPROFILE_OFFCPU_REASONS(X)
#undef X
	};
	struct op_unit_mask *um = calloc(1, sizeof(*um));
	int err;

	if (!um)
		return NULL;
	um->name = strdup(REASONS);
	um->type = OP_UM_EXCLUSIVE;
	um->default_value = OPROFILE_OFFCPU_OTHER;
	err = um->name ? 0 : -ENOMEM;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]) && !err; i++)
		err = op_unit_mask_add_value(um, reasons[i].value, 0, reasons[i].name,
					     reasons[i].desc);
	if (!err && !op_event_table_add_unit_mask(table, um))
		return um;
	op_unit_mask_free(um);
	return NULL;
}

static int add_event_with(struct op_event **ret, struct op_event_table *table, const char *name,
			  const char *desc, const char *ext, uint32_t min_count,
			  struct op_unit_mask *um)
{
	struct op_event *event = um ? calloc(1, sizeof(*event)) : NULL;

	if (!event)
		return -ENOMEM;
	event->name = strdup(name);
	event->desc = strdup(desc);
	event->ext = strdup(ext);
	event->min_count = min_count;
	event->unit_mask = um;
	if (event->name && event->desc && event->ext && !op_event_table_add_event(table, event)) {
		*ret = event;
		return 0;
	}
	op_event_free(event);
	return -ENOMEM;
}

static int add_event(struct op_event **ret, struct op_event_table *table, const char *name,
		     const char *desc, const char *ext, uint32_t min_count)
{
	return add_event_with(ret, table, name, desc, ext, min_count, add_unit_mask(table));
}

int op_event_any_cpu_add_one(struct op_event **ret, struct op_event_table *table, const char *name,
			     const char *desc, const char *ext)
{
	return add_event(ret, table, name, desc, ext, 1);
}

int op_event_any_cpu_add(struct op_event_table *table)
{
	const struct op_perf_name *row;
	struct op_event *event;
	int err = add_event(&event, table, OP_EVENT_TIMER,
			    "Time passed while a CPU is busy, in nanoseconds", OP_EVENT_EXT_TIMER,
			    OP_TIMER_MIN_NS);

	if (!err)
		err = add_event_with(&event, table, OP_EVENT_OFFCPU,
				     "Time that threads wait off their CPUs, in nanoseconds",
				     OP_EVENT_EXT_OFFCPU, OP_TIMER_MIN_NS, add_reasons(table));
	if (!err)
		err = add_event(&event, table, OP_EVENT_LATENCY,
				"Time passed while a thread of the program runs, in nanoseconds",
				OP_EVENT_EXT_LATENCY, OP_TIMER_MIN_NS);
	for (size_t i = 0; !err && (row = op_perf_name_row(i)); i++)
		if (is_sampled(row))
			err = add_event(&event, table, row->name, row->desc, OP_EVENT_EXT_SOFTWARE,
					1);
	return err;
}

#define HARDWARE(id)	PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, false
#define SOFTWARE(id)	PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, false
#define KERNEL(id)	PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, true
#define ROW(probe, name, other, type, id, desc)	{ name, other, type(id), desc },

static const struct op_perf_name names[] = {
	RAW_PERF_HARDWARE(ROW)
	RAW_PERF_SOFTWARE(ROW)
};

const struct op_perf_name *op_perf_name_row(size_t i)
{
	return i < sizeof(names) / sizeof(names[0]) ? &names[i] : NULL;
}

const struct op_perf_name *op_perf_name_find(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i].name, name) ||
		    (names[i].other && !strcmp(names[i].other, name)))
			return &names[i];
	}
	return NULL;
}
