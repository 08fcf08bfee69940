/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_names.h -- the generic events of perf_events, which exist on all machines, with perf's
 * names.
 */
#ifndef OP_EVENT_PERF_NAMES_H
#define OP_EVENT_PERF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct op_perf_name {
	const char *name, *other;	/* @other: a second name of the event, or NULL */
	/* PERF_TYPE_HARDWARE (needs a counter of the CPU) or _SOFTWARE */
	uint32_t type;
	uint64_t config;
	/* happens only in the kernel: counting only user code gives 0 */
	bool in_kernel;
	const char *desc;		/* description, for a software event */
};

/* Return the event with exactly that name, or NULL. */
const struct op_perf_name *op_perf_name_find(const char *name);

/* Return event @i, or NULL after the last one. */
const struct op_perf_name *op_perf_name_row(size_t i);

#endif
