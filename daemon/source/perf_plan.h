/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_plan.h -- plan of the perf_events to open: for which tasks, on which CPUs, and with rings of
 * which size. The plan follows from the configuration and the permissions, and does not change
 * during sampling.
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

/* The plan contains pointers into itself, so it must not be copied. If it is all zeros, it need not
 * be released. */
struct opd_perf_plan {
	struct opd_perf_setup setup;
	struct op_perf_pmus pmus;
	/* the setup.nr_named processes from the configuration */
	const pid_t *named;
	/* the named processes and the processes that they have started: the memory of setup.pids */
	pid_t *targets;
	/*
	 * If permitted, processes of --pid are sampled by events of whole CPUs, and samples of
	 * other processes are ignored: an event of a task restarts its period with each new task,
	 * so short-lived tasks would get hardly any samples.
	 */
	bool whole;
	struct opd_perf_setup wide;		/* the setup of events of whole CPUs, if .whole */
	/* CPUs without events of whole CPUs: isolated, nohz_full */
	bool quiet[OP_MAX_CPUS];
	bool wanted[OP_MAX_CPUS];		/* CPUs on which events are opened */
	struct opd_perf_ring_limits limits;
	/* the size in setup.stack was chosen here, not requested by the user */
	bool chooses_copy;
	/* number of samples that the user wants in a ring; 0: not requested */
	unsigned long asked_samples;
	/* estimated number of samples per second on one CPU */
	uint64_t rate;
	size_t sample_bytes;			/* size of a sample in the ring */
	/* size for setup.sample_ring without limits of memory */
	size_t wanted_ring;
};

/*
 * Initialize @p. @stacks: samples contain a copy of the stack, with the size in @cfg, or with the
 * largest size for which there is room. @cfg must outlive the plan. Return 0, or a negative errno
 * with the reason in @error.
 */
int opd_perf_plan_init(struct opd_perf_plan *p, const struct opd_config *cfg, bool stacks,
		       struct op_reason *error);
void opd_perf_plan_release(struct opd_perf_plan *p);

/* Return the setup of events on @cpu. */
const struct opd_perf_setup *opd_perf_plan_of_cpu(const struct opd_perf_plan *p, int cpu);

/* Make the rings smaller on CPUs that are opened from now on, and copy less of each stack if the
 * rings would hold samples of too short a time. Return false if the rings cannot be smaller. */
bool opd_perf_plan_shrink(struct opd_perf_plan *p);

/* Set @text to the size of the rings, the time whose samples they hold, and the limit that made
 * them small, if any. */
void opd_perf_plan_report_rings(const struct opd_perf_plan *p, struct op_reason *text);

/* Set @error to the limits of this plan's samples, with reasons; empty if there are none. */
void opd_perf_plan_report_limits(const struct opd_perf_plan *p, struct op_reason *error);

#endif
