/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmus.h -- what each event is to perf_events, on each kind of core.
 *
 * Hybrid CPUs have two kinds with a PMU and codes of their own. An event is counted on those cores
 * whose table has it, by that table's code; the others do without, and the note says so.
 */
#ifndef OP_PERF_PMUS_H
#define OP_PERF_PMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"
#include "libop/cpu/list.h"
#include "libop/event/plan.h"

#define OP_PERF_MAX_PMUS	2

struct op_perf_code {
	bool counted;			/* on this kind of core */
	bool timer;
	bool in_kernel;			/* a software event that happens in the kernel only */
	uint32_t type;
	uint64_t config, config1;
};

/* The kinds of core of this machine, each with a PMU. */
struct op_perf_kinds {
	size_t nr;			/* at least 1 */
	uint8_t of_cpu[OP_MAX_CPUS];	/* which kind a CPU is */
	uint32_t types[OP_PERF_MAX_PMUS];	/* perf_event_attr.type of the kind's raw events */
};

struct op_perf_pmus {
	struct op_perf_kinds kinds;
	struct op_perf_code codes[OP_PERF_MAX_PMUS][OP_MAX_EVENTS];
	char note[300];			/* what is not counted where; or empty */
};

/* @sysfs: "/sys", or a directory like it. 0, or negative with @why. */
int op_perf_kinds_init(struct op_perf_kinds *kinds, const char *sysfs, struct op_reason *why);

/* 0, -EINVAL for an event that perf_events cannot count, or -ENOMEM. */
int op_perf_pmus_init(struct op_perf_pmus *pmus, const struct op_event_plan *plan, const char *sysfs,
		      struct op_reason *why);

size_t op_perf_kind_of_cpu(const struct op_perf_kinds *kinds, int cpu);
const struct op_perf_code *op_perf_code(const struct op_perf_pmus *pmus, int cpu, size_t event);

#endif
