/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_plan.h -- determines which perf_events to open: for which tasks, on which CPUs, and with how
 * large rings. The plan follows from the configuration and the user's permissions. It does not
 * change while the daemon samples.
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

/* The plan: which perf_events to open. Do not copy it, because it contains pointers into itself. A
 * zeroed plan need not be released. */
struct opd_perf_plan {
	struct opd_perf_setup setup;
	struct op_perf_pmus pmus;
	/* processes of --pid; setup.nr_named elements */
	const pid_t *named;
	/* processes of --pid and their children; owned; setup.pids points to this array */
	pid_t *targets;
	/*
	 * Sample the processes of --pid by events of whole CPUs, and ignore samples of other
	 * processes. This needs a permission. Reason: an event of a task restarts its period in
	 * each new task, so short-lived tasks would get hardly any samples. Not used if all events
	 * have count 1: then events of tasks are exact, and other processes cost nothing.
	 */
	bool whole;
	/* if .whole: setup of the events that sample whole CPUs */
	struct opd_perf_setup wide;
	/* CPUs that must not be disturbed (isolated, nohz_full): open no events of whole CPUs
	 * there */
	bool quiet[OP_MAX_CPUS];
	bool wanted[OP_MAX_CPUS];		/* CPUs on which to open events */
	struct opd_perf_ring_limits limits;
	/* the plan may change setup.stack, because the user did not request a size */
	bool chooses_copy;
	/* number of samples per ring that the user requested; 0: no request */
	unsigned long asked_samples;
	/* estimated samples per second and CPU */
	uint64_t rate;
	size_t sample_bytes;			/* size of a sample in the ring in bytes */
	/* size that setup.sample_ring would have without memory limits */
	size_t wanted_ring;
};

/*
 * Initialize @p. @stacks: samples contain a copy of the stack, of the size in @cfg, or of the
 * largest size that the rings allow. @cfg must outlive the plan. Return 0, or a negative errno
 * with a message in @error.
 */
int opd_perf_plan_init(struct opd_perf_plan *p, const struct opd_config *cfg, bool stacks,
		       struct op_reason *error);
void opd_perf_plan_release(struct opd_perf_plan *p);

/* Return the setup of the events that the plan opens on @cpu. */
const struct opd_perf_setup *opd_perf_plan_of_cpu(const struct opd_perf_plan *p, int cpu);

/*
 * Reduce the size of the rings that are mapped from now on. If the smaller rings would hold samples
 * of too short a time, also copy fewer bytes of each stack. Return false if the rings already have
 * the minimum size.
 */
bool opd_perf_plan_shrink(struct opd_perf_plan *p);

/* Write a description of the rings to @text: their size, the time for which they can hold samples,
 * and the limit that reduced the size, if any. */
void opd_perf_plan_report_rings(const struct opd_perf_plan *p, struct op_reason *text);

/* Set @error to a message that describes which samples this plan cannot take and why, or to "" if
 * it can take all samples. */
void opd_perf_plan_report_limits(const struct opd_perf_plan *p, struct op_reason *error);

#endif
