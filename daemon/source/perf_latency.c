// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_latency.c -- samples of the clock time of programs. */
#include "config.h"
#include "daemon/source/perf_latency.h"

#include <string.h>

#include "daemon/base/configuration.h"
#include "libop/event/spec.h"
#include "module/uapi/offcpu_account.h"

void opd_perf_latency_init(struct opd_perf_latency *l, const struct opd_config *cfg)
{
	*l = (struct opd_perf_latency){ .event = -1, .timer = -1, .random = 0x9e3779b97f4a7c15 };
	for (size_t i = 0; i < cfg->nr_events; i++) {
		if (op_event_is_latency(cfg->events[i].name))
			l->event = (int)i;
		if (op_event_is_timer(cfg->events[i].name))
			l->timer = (int)i;
	}
}

static void set_running(struct opd_perf_latency *l, int cpu, int32_t pid)
{
	if (cpu < 0 || cpu >= OP_MAX_CPUS)
		return;
	l->running[cpu] = pid > 0 ? pid : 0;
	if (cpu >= l->nr_cpus)
		l->nr_cpus = cpu + 1;
}

void opd_perf_latency_apply(struct opd_perf_latency *l, int cpu, const struct opd_perf_record *r)
{
	if (l->event >= 0 && r->kind == OPD_PERF_SWITCH)
		set_running(l, cpu, r->change.out ? 0 : r->pid);
}

void opd_perf_latency_forget(struct opd_perf_latency *l)
{
	memset(l->running, 0, sizeof(l->running));
	l->nr_cpus = 0;
}

bool opd_perf_latency_counts(struct opd_perf_latency *l, int cpu, int event, int32_t pid)
{
	uint32_t nr = 0;

	if (l->event < 0 || event != l->timer)
		return false;
	if (pid <= 0)
		return true;
	set_running(l, cpu, pid);
	for (int i = 0; i < l->nr_cpus; i++)
		nr += l->running[i] == pid;
	/* The high bits of the product are a number from 0 to nr - 1, all equally likely. */
	return !((oprofile_offcpu_random(&l->random) >> 32) * nr >> 32);
}
