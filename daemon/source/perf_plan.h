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

/* The plan contains pointers into itself, so it must not be copied. A plan that is all zeros need
 * not be released. */
struct opd_perf_plan {
	struct opd_perf_setup setup;
	struct op_perf_pmus pmus;
	/* the processes that the configuration names; their number is setup.nr_named */
	const pid_t *named;
	/* the named processes and the processes that they have started; setup.pids points to this
	 * array, which the plan owns */
	pid_t *targets;
	/*
	 * Processes of --pid are sampled by events of whole CPUs, if the user has permission for
	 * that, and samples of other processes are ignored. Reason: an event of a task restarts its
	 * period with each new task, so short-lived tasks would get hardly any samples. If the
	 * count of all events is 1, events of tasks are exact, and other processes cost nothing.
	 */
	bool whole;
	/* the setup of the events of whole CPUs; used only if .whole */
	struct opd_perf_setup wide;
	/* CPUs that must not be disturbed (isolated, nohz_full), on which no events of whole CPUs
	 * are opened */
	bool quiet[OP_MAX_CPUS];
	bool wanted[OP_MAX_CPUS];		/* CPUs on which events are opened */
	struct opd_perf_ring_limits limits;
	/* the plan has chosen the size in setup.stack; false: the user requested the size */
	bool chooses_copy;
	/* number of samples that a ring must hold, as the user requested; 0: not requested */
	unsigned long asked_samples;
	/* estimated number of samples per second on one CPU */
	uint64_t rate;
	size_t sample_bytes;			/* size of one sample in the ring, in bytes */
	/* size that setup.sample_ring would have if memory had no limits */
	size_t wanted_ring;
};

/*
 * Initialize @p. @stacks: samples contain a copy of the stack. The copy's size is that in @cfg, or
 * else the largest size for which the rings have room. @cfg must outlive the plan. Return 0, or a
 * negative errno with the reason in @error.
 */
int opd_perf_plan_init(struct opd_perf_plan *p, const struct opd_config *cfg, bool stacks,
		       struct op_reason *error);
void opd_perf_plan_release(struct opd_perf_plan *p);

/* Return the setup of the events that are opened on @cpu. */
const struct opd_perf_setup *opd_perf_plan_of_cpu(const struct opd_perf_plan *p, int cpu);

/* Make the rings smaller on CPUs that are opened from now on. If the rings would then hold samples
 * of too short a time, also copy less of each stack. Return false if the rings cannot be
 * smaller. */
bool opd_perf_plan_shrink(struct opd_perf_plan *p);

/* Set @text to the size of the rings, the time whose samples they hold, and the limit, if any, that
 * made them small. */
void opd_perf_plan_report_rings(const struct opd_perf_plan *p, struct op_reason *text);

/* Set @error to a text that describes which samples this plan cannot take, and why. The text is
 * empty if there are no limits. */
void opd_perf_plan_report_limits(const struct opd_perf_plan *p, struct op_reason *error);

#endif
