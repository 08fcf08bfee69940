/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_plan.h -- decides which perf_events are opened, and where: the events of which tasks, on
 * which CPUs, with rings of which size. The plan follows from the configuration and from the
 * permissions, and does not change during sampling.
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

/* The plan contains pointers into itself. All zeros: nothing to release. */
struct opd_perf_plan {
	struct opd_perf_setup setup;
	struct op_perf_pmus pmus;
	/* setup.nr_named processes, from the configuration */
	const pid_t *named;
	/* these and the processes that they have started: setup.pids */
	pid_t *targets;
	/*
	 * If permitted, a few processes are sampled by events of whole CPUs too, and samples of
	 * other processes are ignored: an event of a task starts anew with each task, so that
	 * short-lived tasks would get hardly any samples.
	 */
	bool whole;
	struct opd_perf_setup wide;		/* the setup of these events */
	bool quiet[OP_MAX_CPUS];		/* CPUs without such events: isolated, nohz_full */
	bool wanted[OP_MAX_CPUS];		/* CPUs to open; the others are not used */
	struct opd_perf_ring_limits limits;
	bool chooses_copy;			/* setup.stack is not requested */
	unsigned long asked_samples;		/* requested in a ring; 0: not requested */
	uint64_t rate;				/* samples a second on one CPU, an estimate */
	size_t sample_bytes;			/* of a sample in the ring */
	size_t wanted_ring;			/* setup.sample_ring without limits of memory */
};

/* Initialize @p. @stacks: samples contain a copy of the stack, of the size in @cfg, or of the
 * largest size for which there is room. @cfg must outlive the plan. Return 0, or a negative errno
 * with the reason in @error. */
int opd_perf_plan_init(struct opd_perf_plan *p, const struct opd_config *cfg, bool stacks,
		       struct op_reason *error);
void opd_perf_plan_release(struct opd_perf_plan *p);

/* Return the setup for @cpu. */
const struct opd_perf_setup *opd_perf_plan_of_cpu(const struct opd_perf_plan *p, int cpu);

/* Make the rings smaller on CPUs that are opened from now on, and copy less of stacks if the rings
 * would hold too little time. Return false if that is not possible. */
bool opd_perf_plan_shrink(struct opd_perf_plan *p);

/* Set @text to the size of the rings, the time that they cover, and the limit, if any. */
void opd_perf_plan_report_rings(const struct opd_perf_plan *p, struct op_reason *text);

/* Set @limits to the limits of this way of sampling, with reasons; empty if there are none. */
void opd_perf_plan_report_limits(const struct opd_perf_plan *p, struct op_reason *error);

#endif
