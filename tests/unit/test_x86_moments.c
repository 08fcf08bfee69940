// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_x86_moments.c -- tests the code for x86 counters (module/x86/) on simulated CPUs
 * (tests/sim/) with an NMI at each register access in turn: another user's NMI during a start or a
 * stop, and a kill, which ends all counting at once.
 */
#include "config.h"

#include "unit/check.h"

#include "sim/run.h"

#define PERIOD	30000
/* maximum number of ticks of a run; a late interrupt takes 2,000,000 ticks */
#define LONGEST	5000000

/*
 * Start two groups of events, which use the same counter for different events, and all fixed
 * counters of the CPU.
 */
static void begin_groups(struct sim_run *run, const struct sim_config *config, u64 seed)
{
	u64 fixed;

	sim_run_begin(run, config, 0, 0, seed);
	sim_settle(&run->cpu);
	sim_go(&run->cpu);
	oprofile_pmu_save(&run->pmu, ~0ULL);
	sim_run_add(run, 0, 0, PERIOD);
	sim_run_add(run, 0, 1, PERIOD);
	for (fixed = run->pmu.owned >> OPROFILE_PMU_FIXED << OPROFILE_PMU_FIXED; fixed; )
		sim_run_add(run, oprofile_pmu_next(&fixed), run->nr & 1, PERIOD);
}

static void expect_event(struct sim_run *run, u32 event)
{
	run->cpu.expected[0] = run->pmu.events[event].control;
}

static void run_ticks(struct sim_run *run, u32 ticks)
{
	while (ticks--)
		sim_tick(&run->cpu);
}

static void check_quiet(struct sim_run *run, u32 lvtpc, u64 access)
{
	/* Ignore the mask bit of the LVTPC entry, because an NMI in transit sets this bit. */
	u32 masked = lvtpc & 0x400 ? 1U << 16 : 0;

	if (*run->cpu.complaint)
		fail_msg("%s: access %llu: %s", run->cpu.config->name, access, run->cpu.complaint);
	if (run->cpu.miscounted)
		fail_msg("%s: access %llu: %llu counted of another group's event", run->cpu.config->name, access,
			 run->cpu.miscounted);
	if (sim_enabled(&run->cpu))
		fail_msg("%s: access %llu: counters %llx go on", run->cpu.config->name, access,
			 sim_enabled(&run->cpu));
	if (run->cpu.config->perf)
		/* perf may change the shared registers at any time, so skip the checks of these
		 * registers below */
		return;
	if (run->pmu.global_msr && run->cpu.global & run->pmu.owned)
		fail_msg("%s: access %llu: %llx is left in the global control", run->cpu.config->name, access,
			 run->cpu.global & run->pmu.owned);
	if ((run->cpu.lvtpc | masked) != (lvtpc | masked))
		fail_msg("%s: access %llu: LVTPC was %x, is %x", run->cpu.config->name, access, lvtpc,
			 run->cpu.lvtpc);
}

/*
 * Raise an NMI at register access number @access of the second group's start or stop. Return false
 * if the start or stop accessed registers fewer times.
 */
static bool raise_nmi_at_access(struct sim_run *run, const struct sim_config *config, bool at_start,
				u64 access)
{
	u64 begun, nmis;
	u32 lvtpc;

	begin_groups(run, config, access);
	lvtpc = run->cpu.lvtpc;
	oprofile_pmu_start(&run->pmu, 0);
	run_ticks(run, 200);
	oprofile_pmu_stop(&run->pmu);
	expect_event(run, 1);
	if (at_start)
		run->cpu.external_at = run->cpu.ticks + access;
	begun = run->cpu.ticks;
	oprofile_pmu_start(&run->pmu, 1);
	if (at_start && run->cpu.ticks - begun < access)
		return false;
	run_ticks(run, 200);
	if (!at_start)
		run->cpu.external_at = run->cpu.ticks + access;
	begun = run->cpu.ticks;
	nmis = run->cpu.nmis;
	oprofile_pmu_stop(&run->pmu);
	if (!at_start && run->cpu.ticks - begun < access)
		return false;
	assert_true(at_start || run->cpu.nmis > nmis);
	run->cpu.expected[0] = 0;
	check_quiet(run, lvtpc, access);
	assert_true(run->cpu.counted[0] > 200);
	return true;
}

static void nmi_at_each_access_of_start(void **state)
{
	static struct sim_run run;
	u64 access;
	u32 i;

	(void)state;
	for (i = 0; i < sim_nr_configs; i++) {
		for (access = 1; raise_nmi_at_access(&run, &sim_configs[i], true,
						     access) && access < 200; access++)
			;
		assert_in_range(access, 5, 199);
	}
}

static void nmi_at_each_access_of_stop(void **state)
{
	static struct sim_run run;
	u64 access;
	u32 i;

	(void)state;
	for (i = 0; i < sim_nr_configs; i++) {
		for (access = 1; raise_nmi_at_access(&run, &sim_configs[i], false,
						     access) && access < 200; access++)
			;
		assert_in_range(access, 5, 199);
	}
}

static void begin_pair(struct sim_run *run, const struct sim_config *config, u64 seed)
{
	u32 second = config->general > 1 ? 1 : OPROFILE_PMU_FIXED;

	sim_run_begin(run, config, 0, 0, seed);
	oprofile_pmu_save(&run->pmu, ~0ULL);
	sim_run_add(run, 0, 0, PERIOD);
	sim_run_add(run, second, 0, PERIOD);
	oprofile_pmu_start(&run->pmu, 0);
	run_ticks(run, 100);
	run->cpu.wrap_at[second] = run->cpu.ticks + 10;
}

/*
 * Raise an overflow of a second counter at each register access of the handler of the first
 * overflow's NMI. All these runs are equal until that NMI, which may be millions of ticks late, so
 * simulate this part once and copy it.
 */
static void raise_overflow_at_each_access(struct sim_run *run, const struct sim_config *config,
					  u64 seed)
{
	static struct sim_run before;
	u64 begin, end;

	begin_pair(run, config, seed);
	while (!run->cpu.nmi_end && run->cpu.ticks < LONGEST)
		sim_tick(&run->cpu);
	if (!run->cpu.nmi_end)
		fail_msg("%s: an overflow makes no NMI", config->name);
	begin = run->cpu.nmi_begin;
	end = run->cpu.nmi_end;
	begin_pair(run, config, seed);
	while (run->cpu.ticks < begin - 1)
		sim_tick(&run->cpu);
	before = *run;
	for (; begin <= end; begin++) {
		*run = before;
		run->cpu.wrap_at[0] = begin;
		while (run->cpu.ticks <= end)
			sim_tick(&run->cpu);
		sim_settle(&run->cpu);
		if (sim_overflowed(&run->cpu) & run->pmu.armed)
			fail_msg("%s: %llu accesses before the end, seed %llu: an overflow waits for ever",
				 config->name, end - begin, seed);
	}
}

static void overflow_at_each_access_of_nmi_handler(void **state)
{
	static struct sim_run run;
	u64 seed;
	u32 i;

	(void)state;
	for (i = 0; i < sim_nr_configs; i++) {
		for (seed = 1; seed <= 8; seed++)
			raise_overflow_at_each_access(&run, &sim_configs[i], seed);
	}
}

/*
 * After a panic on another CPU, the next NMI stops this CPU's counters and is claimed. The driver
 * claims no later NMIs, so that other handlers, such as a watchdog's, receive them.
 */
static void kill_stops_counters_and_claims_one_nmi(void **state)
{
	static struct sim_run run;
	u32 i;

	(void)state;
	for (i = 0; i < sim_nr_configs; i++) {
		begin_groups(&run, &sim_configs[i], i);
		assert_false(oprofile_pmu_kill(&run.pmu));
		oprofile_pmu_start(&run.pmu, i & 1);
		run_ticks(&run, 200);
		assert_true(oprofile_pmu_kill(&run.pmu));
		assert_int_equal(sim_enabled(&run.cpu), 0);
		assert_false(oprofile_pmu_kill(&run.pmu));
		assert_string_equal(run.cpu.complaint, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nmi_at_each_access_of_start),
		cmocka_unit_test(nmi_at_each_access_of_stop),
		cmocka_unit_test(overflow_at_each_access_of_nmi_handler),
		cmocka_unit_test(kill_stops_counters_and_claims_one_nmi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
