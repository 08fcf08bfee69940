/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run.h -- a simulated CPU on which the module's code for counters runs: the actions of a test, and
 * their results.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "cpu.h"
#include "x86/ibs.h"
#include "x86/pmu.h"

struct sim_run {
	struct sim_cpu cpu;
	struct oprofile_pmu pmu;
	struct oprofile_ibs ibs;
	u32 nr;						/* number of events */
	u64 period[OPROFILE_PMU_EVENTS];
	u32 counter[OPROFILE_PMU_EVENTS];
	/* sum of all periods that were begun, for each event */
	u64 begun[OPROFILE_PMU_EVENTS];
	u64 samples[OPROFILE_PMU_EVENTS];
	/* numbers of IBS samples of fetches, of operations, and of fetches without an address */
	u64 fetches, ops, nowhere;
};

/*
 * Create a simulated CPU, and run only the module's detection, which must succeed. @foreign,
 * @silent: see sim_init().
 */
void sim_run_begin(struct sim_run *run, const struct sim_config *config, u64 foreign, u64 silent, u64 seed);
/* Return an event that the counter @counter of a CPU with this @config can count. */
struct oprofile_pmu_event sim_event_for(const struct sim_config *config, u32 counter);
/* Add an event for @counter, a different one in each group. The test fails if the counter cannot
 * count it. */
void sim_run_add(struct sim_run *run, u32 counter, u32 group, u64 period);
u64 sim_sum(const u64 *values, u32 nr);

#endif
