// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_plan.c -- what of perf_events is opened, and where. */
#include "config.h"
#include "daemon/source/perf_plan.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "libop/perf/open.h"
#include "libop/perf/tasks.h"

#define SAMPLE_SIZE		32		/* bytes in the ring, with one event */
#define MIN_SAMPLE_RING		(64u << 10)
#define MAX_SAMPLE_RING		(64u << 20)
#define SAMPLE_RING		(512u << 10)	/* 16 s at 1 kHz */
#define STACK_EXTRA		1280		/* registers and the kernel's part of a path */
#define STACK_RING		(8u << 20)	/* 0.5 s at 1 kHz */
/* A fork with an exec takes some 700 bytes: the larger ring takes 3,000 of them a second for 2 s, in which the daemon may not run. */
#define NOTICE_RING		(512u << 10)
#define MAX_NOTICE_RING		(4u << 20)
#define NOTICE_SHARE		256		/* the larger rings of all CPUs are this part of the memory at most */
/* Without CAP_IPC_LOCK, both have to fit into kernel.perf_event_mlock_kb: 516 a CPU. */
#define USER_SAMPLE_RING	(256u << 10)
#define USER_NOTICE_RING	(128u << 10)

static size_t ring_size(const struct opd_config *cfg)
{
	size_t size = MIN_SAMPLE_RING;
	size_t sample = SAMPLE_SIZE + (cfg->paths.depth ? cfg->paths.stack + STACK_EXTRA : 0);

	if (!cfg->set.cpu_buffer_size && geteuid())
		return USER_SAMPLE_RING;
	if (!cfg->set.cpu_buffer_size)
		return cfg->paths.depth ? STACK_RING : SAMPLE_RING;
	while (size < MAX_SAMPLE_RING && size / sample < cfg->set.cpu_buffer_size)
		size *= 2;
	return size;
}

static size_t notice_ring_size(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), cpus = sysconf(_SC_NPROCESSORS_CONF);
	const uint64_t share = pages > 0 && page > 0 && cpus > 0 ? (uint64_t)pages * (uint64_t)page / NOTICE_SHARE / (uint64_t)cpus : 0;
	size_t size = NOTICE_RING;

	while (size < MAX_NOTICE_RING && size * 2 <= share)
		size *= 2;
	return size;
}

/* Events of single processes disturb nobody but these. */
static int find_wanted(struct opd_perf_plan *p, const struct opd_config *cfg)
{
	const char *list = cfg->set.cpus ? cfg->set.cpus : cfg->nr_pids ? "all" : "auto";

	return op_cpus_wanted(p->wanted, list, OP_CPU_SYSFS);
}

/* The tasks to sample: nothing to do for the whole machine. */
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

/* CPUs that are to be left alone have events of the tasks alone, unless they were asked for. */
static void try_whole_cpus(struct opd_perf_plan *p, const struct opd_config *cfg)
{
	struct op_reason unheard = { "" };

	p->wide = p->setup;
	p->wide.pids = NULL;
	p->wide.nr_pids = p->wide.nr_named = 0;
	if (p->setup.exclude_kernel || opd_perf_setup_probe(&p->wide, &unheard))
		return;
	p->whole = true;
	if (cfg->set.cpus || op_cpus_wanted(p->quiet, "auto", OP_CPU_SYSFS))
		return;
	for (int cpu = 0; cpu < OP_MAX_CPUS; cpu++)
		p->quiet[cpu] = !p->quiet[cpu];
}

int opd_perf_plan_init(struct opd_perf_plan *p, const struct opd_config *cfg, bool stacks, struct op_reason *why)
{
	int err;

	p->setup = (struct opd_perf_setup){
		.events = cfg->events,
		.nr_events = cfg->nr_events,
		.pmus = &p->pmus,
		.sample_ring = ring_size(cfg),
		.notice_ring = geteuid() == 0 ? notice_ring_size() : USER_NOTICE_RING,
		.stack = stacks ? cfg->paths.stack : 0,
	};
	err = op_perf_pmus_init(&p->pmus, &cfg->plan, "/sys", why);
	if (err)
		return err;
	err = find_targets(p, cfg);
	if (err)
		return op_fail(why, err, "cannot read /proc: is it mounted?");
	err = find_wanted(p, cfg);
	if (!err)
		err = opd_perf_setup_probe(&p->setup, why);
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

void opd_perf_plan_shrink(struct opd_perf_plan *p)
{
	p->setup.sample_ring = p->wide.sample_ring = USER_SAMPLE_RING;
	p->setup.notice_ring = p->wide.notice_ring = USER_NOTICE_RING;
}

void opd_perf_plan_tell_limits(const struct opd_perf_plan *p, struct op_reason *why)
{
	bool user = p->setup.exclude_kernel, tasks = p->setup.nr_pids && !p->whole, guests = p->setup.outside_guests;

	if (!user && !tasks && !guests)
		op_fail(why, 0, "%s", p->pmus.note);
	else
		op_fail(why, 0, "%s%s%s%s%s", guests ? OP_PERF_OUTSIDE_GUESTS : "", guests && (user || tasks) ? "; " : "", user ? "user code only: kernel.perf_event_paranoid does not let users see the "
			"kernel's (as root, or with paranoid 1, there would be more)" : "", user && tasks ? "; " : "",
			tasks ? "little of programs that run for less than the time between two samples (as root, or "
			"with paranoid 0: all)" : "");
}
