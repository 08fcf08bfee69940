/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_names.h -- the events that perf_events has on every machine, by the names that perf gives them.
 */
#ifndef OP_EVENT_PERF_NAMES_H
#define OP_EVENT_PERF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct op_perf_name {
	const char *name, *other;	/* @other: a second one, or NULL */
	uint32_t type;			/* PERF_TYPE_HARDWARE, which needs a counter of the CPU; _SOFTWARE */
	uint64_t config;
	bool in_kernel;			/* happens in the kernel only: counting user code alone finds no event */
	const char *desc;		/* of a software event */
};

/* NULL: perf has no event of that name, written so. */
const struct op_perf_name *op_perf_name_find(const char *name);

/* All of them, NULL behind the last. */
const struct op_perf_name *op_perf_name_row(size_t i);

#endif
