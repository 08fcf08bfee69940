// SPDX-License-Identifier: GPL-2.0
/*
 * run.c -- runs module/x86 on a simulated CPU: programs counters, and records the samples that its
 * NMI handler takes.
 */
#include "config.h"

#include "unit/check.h"

#include "run.h"

#define STORE_TICKS	40	/* ticks to store a sample (2 us) */

u64 oprofile_pmu_period(struct oprofile_pmu *p, u32 event)
{
	struct sim_run *run = (struct sim_run *)((char *)p - offsetof(struct sim_run, pmu));
	u64 period = run->period[event] + sim_random(&run->cpu) % 16;

	run->begun[event] += period;
	return period;
}

static u32 read_ibs(struct sim_run *run)
{
	struct oprofile_ibs_record record;
	u32 found = 0;

	run->ibs.shift = run->pmu.pace.shift;
	if (oprofile_ibs_read_fetch(&run->ibs, &record)) {
		found++;
		run->fetches++;
		run->nowhere += !record.nr;
		if (record.nr && !record.pc)
			fail_msg("%s: a fetch from nowhere is a record", run->cpu.config->name);
	}
	if (oprofile_ibs_read_op(&run->ibs, 1, &record)) {
		found++;
		run->ops++;
	}
	return found;
}

/* Handle an NMI as the module does. Return the number of interrupts that it claimed. */
static u32 handle(void *data)
{
	struct sim_run *run = data;
	u32 events, claimed, i;

	claimed = oprofile_pmu_handle_nmi(&run->pmu, read_ibs(run), &events);
	while (events) {
		run->samples[__builtin_ctz(events)]++;
		events &= events - 1;
		for (i = 0; i < STORE_TICKS; i++)
			sim_tick(&run->cpu);
	}
	oprofile_pmu_resume(&run->pmu);
	return claimed;
}

void sim_run_begin(struct sim_run *run, const struct sim_config *config, u64 foreign, u64 silent, u64 seed)
{
	const char *why;

	memset(run, 0, sizeof(*run));
	sim_init(&run->cpu, config, foreign, silent, seed);
	sim_use(&run->cpu);
	run->cpu.handler = handle;
	run->cpu.data = run;
	why = oprofile_pmu_detect(&run->pmu);
	if (why)
		fail_msg("%s: %s", config->name, why);
}

struct oprofile_pmu_event sim_event_for(const struct sim_config *config, u32 counter)
{
	bool fixed = counter >= OPROFILE_PMU_FIXED;

	return (struct oprofile_pmu_event){
		.period = 200, .counter = counter, .kernel = true, .user = true,
		.code = fixed ? 0 : config->vendor == SIM_AMD ? 0x1a3 : 0xa3,
		.unit_mask = fixed ? counter - OPROFILE_PMU_FIXED + 1 : 0x12,
		.extra = fixed ? 0 : 0x05840000,
	};
}

void sim_run_add(struct sim_run *run, u32 counter, u32 group, u64 period)
{
	struct oprofile_pmu_event e = sim_event_for(run->cpu.config, counter);
	const char *why;

	e.group = group;
	e.unit_mask += counter < OPROFILE_PMU_FIXED ? group : 0;
	run->period[run->nr] = e.period = period;
	run->counter[run->nr] = counter;
	why = oprofile_pmu_add(&run->pmu, &e, run->nr);
	if (why)
		fail_msg("%s: counter %u: %s", run->cpu.config->name, counter, why);
	run->nr++;
}

u64 sim_sum(const u64 *values, u32 nr)
{
	u64 total = 0;

	while (nr--)
		total += values[nr];
	return total;
}
