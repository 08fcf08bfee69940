// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_plan.c -- determines which perf_events to open. */
#include "config.h"
#include "daemon/source/perf_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "libop/event/spec.h"
#include "libop/perf/open.h"
#include "libop/perf/tasks.h"

/* limits of the size of a ring of context switches, in bytes. A switch takes about 500 bytes. */
#define MIN_SWITCH_RING		(256u << 10)
#define MAX_SWITCH_RING		(4u << 20)
/* limits of the size of a sample ring, in bytes, that the user may request */
#define MIN_SAMPLE_RING		(64u << 10)
#define MAX_SAMPLE_RING		(128u << 20)

static size_t ring_size(unsigned long nr_samples, size_t bytes)
{
	size_t size = MIN_SAMPLE_RING;

	while (size < MAX_SAMPLE_RING && size / bytes < nr_samples)
		size *= 2;
	return size;
}

static size_t count_cpus(const struct opd_perf_plan *p)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	size_t nr = 0;

	for (int cpu = 0; cpu < OP_MAX_CPUS; cpu++)
		nr += p->wanted[cpu];
	return online > 0 && nr > (size_t)online ? (size_t)online : nr;
}

static void size_rings(struct opd_perf_plan *p)
{
	struct opd_perf_ring_sizes sizes;

	p->sample_bytes = opd_perf_sample_bytes(p->setup.stack);
	sizes = opd_perf_rings_size(p->rate, p->sample_bytes);
	if (p->asked_samples)
		sizes.samples = ring_size(p->asked_samples, p->sample_bytes);
	p->wanted_ring = sizes.samples;
	opd_perf_rings_fit(&sizes, &p->limits);
	p->setup.sample_ring = sizes.samples;
	p->setup.notice_ring = sizes.notices;
}

static void choose_copy(struct opd_perf_plan *p)
{
	if (p->chooses_copy)
		p->setup.stack = opd_perf_stack_copy(p->rate, &p->limits);
	size_rings(p);
}

/* If an event samples waits, set the size of the ring of context switches, and subtract its memory
 * from the limits of the other rings. */
static void size_switch_ring(struct opd_perf_plan *p, const struct opd_config *cfg)
{
	struct opd_perf_ring_limits *limits = &p->limits;
	const uint64_t most = limits->memory < limits->locked ? limits->memory : limits->locked;
	uint64_t bytes;
	bool waits = false;

	for (size_t i = 0; i < cfg->nr_events; i++)
		waits |= op_event_is_offcpu(cfg->events[i].name);
	if (!waits)
		return;
	p->setup.switch_ring = MAX_SWITCH_RING;
	while (p->setup.switch_ring > MIN_SWITCH_RING &&
	       limits->nr_cpus * p->setup.switch_ring > most / 2)
		p->setup.switch_ring /= 2;
	bytes = limits->nr_cpus * (p->setup.switch_ring + (size_t)sysconf(_SC_PAGESIZE));
	limits->memory -= bytes < limits->memory ? bytes : limits->memory;
	if (limits->locked != UINT64_MAX)
		limits->locked -= bytes < limits->locked ? bytes : limits->locked;
}

static void choose_sizes(struct opd_perf_plan *p, const struct opd_config *cfg, bool stacks)
{
	p->limits = opd_perf_ring_limits(count_cpus(p));
	if (cfg->memory && p->limits.memory > cfg->memory / OPD_MEMORY_RINGS)
		p->limits.memory = cfg->memory / OPD_MEMORY_RINGS;
	p->limits.brief = cfg->nr_pids && p->limits.locked != UINT64_MAX;
	size_switch_ring(p, cfg);
	p->rate = opd_perf_sample_rate(cfg->events, cfg->nr_events);
	p->asked_samples = cfg->set.cpu_buffer_size;
	if (stacks && cfg->paths.stack) {
		p->setup.stack = cfg->paths.stack;
	} else if (stacks) {
		/* If the user requested the size of the rings, copy only the minimum number of
		 * bytes of each stack: with larger copies, rings of this size hold fewer
		 * samples. */
		p->chooses_copy = !p->asked_samples;
		p->setup.stack = OPD_PERF_LEAST_COPY;
	}
	choose_copy(p);
}

/* Determine the CPUs on which to open events. If single processes are sampled, the default is all
 * CPUs, because events of these processes do not disturb other processes. */
static int find_cpus(struct opd_perf_plan *p, const struct opd_config *cfg)
{
	const char *list = cfg->set.cpus ? cfg->set.cpus : cfg->nr_pids ? "all" : "auto";

	return op_cpus_select(p->wanted, list, OP_CPU_SYSFS);
}

/* Determine the tasks to sample; no tasks if the whole machine is sampled. */
static int find_targets(struct opd_perf_plan *p, const struct opd_config *cfg)
{
	int err;

	if (!cfg->nr_pids)
		return 0;
	err = op_perf_tasks(&p->targets, &p->setup.nr_pids, cfg->pids, cfg->nr_pids, true, "/proc");
	p->setup.pids = p->targets;
	p->setup.nr_named = cfg->nr_pids;
	p->named = cfg->pids;
	return err;
}

/* Return true if all events have count 1, so that each occurrence of an event is a sample. Such
 * events have no period that restarts in a new task. */
static bool samples_each(const struct opd_perf_setup *setup)
{
	for (size_t i = 0; i < setup->nr_events; i++)
		if (!op_perf_code_is_software(op_perf_code(setup->pmus, 0, i)) ||
		    setup->events[i].count != 1)
			return false;
	return true;
}

/* With --pid, try to use events of whole CPUs (struct opd_perf_plan explains why). On CPUs that
 * must not be disturbed, open only events of the tasks, unless the user requested these CPUs. */
static void try_whole_cpus(struct opd_perf_plan *p, const struct opd_config *cfg)
{
	struct op_reason unheard = { "" };

	p->wide = p->setup;
	p->wide.pids = NULL;
	p->wide.nr_pids = p->wide.nr_named = 0;
	if (p->setup.exclude_kernel || samples_each(&p->setup) ||
	    opd_perf_setup_probe(&p->wide, &unheard))
		return;
	p->whole = true;
	if (cfg->set.cpus || op_cpus_select(p->quiet, "auto", OP_CPU_SYSFS))
		return;
	for (int cpu = 0; cpu < OP_MAX_CPUS; cpu++)
		p->quiet[cpu] = !p->quiet[cpu];
}

int opd_perf_plan_init(struct opd_perf_plan *p, const struct opd_config *cfg, bool stacks,
		       struct op_reason *error)
{
	int err;

	p->setup = (struct opd_perf_setup){
		.events = cfg->events,
		.nr_events = cfg->nr_events,
		.units = cfg->set.separate & OP_SEPARATE_UNIT,
		.pmus = &p->pmus,
	};
	err = op_perf_pmus_init(&p->pmus, &cfg->plan, "/sys", error);
	if (err)
		return err;
	err = find_targets(p, cfg);
	if (err)
		return op_fail(error, err, "cannot read /proc: is it mounted?");
	err = find_cpus(p, cfg);
	if (err)
		return err;
	choose_sizes(p, cfg, stacks);
	err = opd_perf_setup_probe(&p->setup, error);
	if (!err && p->setup.nr_pids)
		try_whole_cpus(p, cfg);
	return err;
}

void opd_perf_plan_release(struct opd_perf_plan *p)
{
	free(p->targets);
}

const struct opd_perf_setup *opd_perf_plan_of_cpu(const struct opd_perf_plan *p, int cpu)
{
	return p->whole && !p->quiet[cpu] ? &p->wide : &p->setup;
}

bool opd_perf_plan_shrink(struct opd_perf_plan *p)
{
	const struct opd_perf_ring_sizes had = { p->setup.sample_ring, p->setup.notice_ring };

	p->limits.memory = opd_perf_rings_bytes(&had, p->limits.nr_cpus) - 1;
	choose_copy(p);
	p->wide.stack = p->setup.stack;
	p->wide.sample_ring = p->setup.sample_ring;
	p->wide.notice_ring = p->setup.notice_ring;
	return p->setup.sample_ring != had.samples || p->setup.notice_ring != had.notices;
}

void opd_perf_plan_report_rings(const struct opd_perf_plan *p, struct op_reason *text)
{
	const size_t had = p->setup.sample_ring;
	char copy[64] = "", time[128] = "", switches[64] = "";
	const double second =
		p->rate && p->sample_bytes ? (double)p->rate * (double)p->sample_bytes : 1;

	if (p->setup.stack)
		snprintf(copy, sizeof(copy), " with copies of %.3g kB of the stack",
			 p->setup.stack / 1024.0);
	if (p->setup.switch_ring)
		snprintf(switches, sizeof(switches), ", and %zu kB for its context switches",
			 p->setup.switch_ring >> 10);
	if (p->rate)
		snprintf(time, sizeof(time), ", for %.2g s of samples%s", (double)had / second, copy);
	op_fail(text, 0, "perf buffers of %zu kB for each CPU%s%s%s", had >> 10, time, switches,
		had < p->wanted_ring ?
			". Larger ones exceed a limit: raise the limit of locked memory (ulimit "
			"-l, "
			"kernel.perf_event_mlock_kb), or use a machine with more memory" :
			"");
}

void opd_perf_plan_report_limits(const struct opd_perf_plan *p, struct op_reason *error)
{
	bool user = p->setup.exclude_kernel,
	     tasks = p->setup.nr_pids && !p->whole && !samples_each(&p->setup),
	     guests = p->setup.outside_guests;

	if (!user && !tasks && !guests)
		op_fail(error, 0, "%s", p->pmus.note);
	else
		op_fail(error, 0, "%s%s%s%s%s", guests ? OP_PERF_OUTSIDE_GUESTS : "",
			guests && (user || tasks) ? "; " : "",
			user ? "user code only: kernel.perf_event_paranoid does not let users "
			       "see the kernel's code (root, or any user with "
			       "kernel.perf_event_paranoid=1, sees both)" :
			       "",
			user && tasks ? "; " : "",
			tasks ? "most programs that run for less than one sampling interval are "
				"not sampled (they are for root, or for any user with "
				"kernel.perf_event_paranoid=0)" :
				"");
}
