/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_plan.h -- what of perf_events is opened, and where: the events of which tasks, on which CPUs, with how large
 * rings. It follows from the configuration and from what the kernel lets us do, and stays as it is while we sample.
 */
#ifndef OPD_PERF_PLAN_H
#define OPD_PERF_PLAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "daemon/source/perf_events.h"
#include "daemon/source/perf_ring_size.h"
#include "libop/cpu/list.h"
#include "libop/perf/pmus.h"

struct opd_config;

/* It points into itself. Zeroed: one that has nothing to release. */
struct opd_perf_plan {
	struct opd_perf_setup setup;
	struct op_perf_pmus pmus;
	const pid_t *named;			/* setup.nr_named processes, the configuration's */
	pid_t *targets;				/* these and what they have started: setup.pids */
	/*
	 * Where we may, a few processes are sampled by events of whole CPUs too, and the samples of others passed
	 * over: an event of a task begins anew with each task, so that of short-lived ones hardly a sample is taken.
	 */
	bool whole;
	struct opd_perf_setup wide;		/* of these events */
	bool quiet[OP_MAX_CPUS];		/* has no such events: isolated, nohz_full */
	bool wanted[OP_MAX_CPUS];		/* others are left alone */
	struct opd_perf_ring_limits limits;
	bool chooses_copy;			/* setup.stack is not requested */
	unsigned long asked_samples;		/* requested in a ring; 0: not requested */
	uint64_t rate;				/* samples a second on one CPU, an estimate */
	size_t sample_bytes;			/* of a sample in the ring */
	size_t wanted_ring;			/* setup.sample_ring without limits of memory */
};

/* @stacks: samples come with a copy of the stack, of the size that @cfg has, or the largest one for which there is room. @cfg outlives the plan. 0, or what @why tells. */
int opd_perf_plan_init(struct opd_perf_plan *p, const struct opd_config *cfg, bool stacks, struct op_reason *why);
void opd_perf_plan_release(struct opd_perf_plan *p);

/* What is opened on @cpu. */
const struct opd_perf_setup *opd_perf_plan_of_cpu(const struct opd_perf_plan *p, int cpu);

/* Copy less of stacks, or halve the rings, on CPUs that are opened from now on. Return false if neither is possible. */
bool opd_perf_plan_shrink(struct opd_perf_plan *p);

/* Set @text to the size of the rings, the time that they cover, and the limit, if any. */
void opd_perf_plan_report_rings(const struct opd_perf_plan *p, struct op_reason *text);

/* What is not seen this way, and why: the text of @why, empty when there is nothing. */
void opd_perf_plan_report_limits(const struct opd_perf_plan *p, struct op_reason *why);

#endif
