/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmus.h -- translation of events into codes for perf_events, for each kind of core of a hybrid
 * CPU.
 *
 * Hybrid CPUs have two kinds of core, each with its own PMU and event codes. An event is counted on
 * the kinds of core whose table contains it, with the code of that table. A note names the events
 * that other cores do not count.
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
	bool counted;			/* the event is counted on this kind of core */
	bool timer;
	/* the daemon makes the samples from other records (OFFCPU, LATENCY) */
	bool is_made;
	/* the event is a software event or tracepoint that happens only in the kernel */
	bool in_kernel;
	uint32_t type;
	uint64_t config, config1;
};

/* The kinds of core of this machine. Each kind has its own PMU. */
struct op_perf_kinds {
	size_t nr;			/* number of kinds of core, at least 1 */
	uint8_t of_cpu[OP_MAX_CPUS];	/* for each CPU, the index of its kind of core */
	/* for each kind of core, the value of perf_event_attr.type for raw events */
	uint32_t types[OP_PERF_MAX_PMUS];
};

struct op_perf_pmus {
	struct op_perf_kinds kinds;
	struct op_perf_code codes[OP_PERF_MAX_PMUS][OP_MAX_EVENTS];
	/* names of the events that some cores do not count; or empty */
	char note[300];
};

/* Find the kinds of core of this machine. @sysfs: "/sys", or a copy of it. Return 0, or a negative
 * errno with a message. */
int op_perf_kinds_init(struct op_perf_kinds *kinds, const char *sysfs, struct op_reason *error);

/* Find the codes of @plan's events. Return 0; -EINVAL: perf_events cannot count an event; or
 * -ENOMEM. */
int op_perf_pmus_init(struct op_perf_pmus *pmus, const struct op_event_plan *plan,
		      const char *sysfs, struct op_reason *error);

/* Return whether the kernel counts the event in software, without a counter of the CPU, and the
 * event is not a clock. */
bool op_perf_code_is_software(const struct op_perf_code *code);

/* Return the code for perf_events of the tracepoint @name. @id: the tracepoint's id in tracefs. */
struct op_perf_code op_perf_tracepoint(const char *name, uint64_t id);

size_t op_perf_kind_of_cpu(const struct op_perf_kinds *kinds, int cpu);
const struct op_perf_code *op_perf_code(const struct op_perf_pmus *pmus, int cpu, size_t event);

#endif
