// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_x86_pace.c -- tests that no sampling period causes an NMI storm from which the CPU cannot
 * recover. Simulates CPUs (tests/sim/) that run the module's code for x86 counters and IBS
 * (module/x86/), without the module's governor, which limits the rate only ten times a second.
 */
#include "config.h"

#include "unit/check.h"

#include "sim/run.h"

#define MS	20000		/* number of ticks in a millisecond */

/*
 * Raise NMIs as fast as possible for 20 ms, and check that the interrupted program still makes
 * progress.
 */
static void check_storm(struct sim_run *run)
{
	u64 nmis, inside;

	while (run->cpu.ticks < 20 * MS)
		sim_tick(&run->cpu);
	nmis = run->cpu.nmis;
	inside = run->cpu.ticks_in_nmi;
	if (nmis > 20 * 100 + 2000 || inside > run->cpu.ticks / 2)
		fail_msg("%s: %llu NMIs in 20 ms, %llu of %llu ticks in them", run->cpu.config->name, nmis, inside,
			 run->cpu.ticks);
	assert_true(run->pmu.pace.halved || nmis < 2000);
}

/* Check that the periods, which frequent NMIs have raised, return to the requested values when NMIs
 * are rare again. */
static void check_calm(struct sim_run *run)
{
	u64 calm;

	for (calm = 0; calm < 500 * MS && run->pmu.pace.shift; calm++)
		sim_tick(&run->cpu);
	assert_int_equal(run->pmu.pace.shift, 0);
}

static void shortest_period_causes_no_nmi_storm(void **state)
{
	static struct sim_run run;
	u32 i, counter;

	(void)state;
	for (i = 0; i < sim_nr_configs; i++) {
		sim_run_begin(&run, &sim_configs[i], 0, 0, 1);
		oprofile_pmu_save(&run.pmu, ~0ULL);
		for (counter = 0; counter < min(sim_configs[i].general, 3U); counter++)
			sim_run_add(&run, counter, 0, 1);
		oprofile_pmu_start(&run.pmu, 0);
		check_storm(&run);
		for (counter = 0; counter < run.nr; counter++)
			run.period[counter] = MS;
		check_calm(&run);
		oprofile_pmu_stop(&run.pmu);
		assert_string_equal(run.cpu.complaint, "");
	}
}

/*
 * The shortest sampling period of IBS, which lasts 36 ns on a 4 GHz CPU, causes no NMI storm, with
 * or without other counters.
 */
static void shortest_ibs_count_causes_no_nmi_storm(void **state)
{
	static const struct oprofile_ibs_wish off, shortest = {
		.enable = 1, .max_count = 0x90, .rand_enable = 1,
	};
	static struct sim_run run;
	u32 i, units;

	(void)state;
	for (i = 0; i < sim_nr_configs; i++) {
		struct sim_config config = sim_configs[i];

		if (config.vendor != SIM_AMD)
			continue;
		config.ibs = 0xff;
		for (units = 1; units < 8; units++) {
			sim_run_begin(&run, &config, 0, 0, units);
			run.cpu.ibs_speed = 100;
			oprofile_pmu_save(&run.pmu, ~0ULL);
			if (units & 4)
				sim_run_add(&run, 0, 0, 1);
			assert_null(oprofile_ibs_save(&run.ibs, units & 1 ? &shortest : &off,
						      units & 2 ? &shortest : &off));
			oprofile_pmu_start(&run.pmu, 0);
			oprofile_ibs_start(&run.ibs);
			check_storm(&run);
			assert_true(units == 4 || config.stragglers || run.fetches + run.ops > 20);
			run.period[0] = run.ibs.fetch.count = run.ibs.op.count = MS;
			run.cpu.ibs_speed = 1;
			check_calm(&run);
			oprofile_ibs_stop(&run.ibs);
			oprofile_pmu_stop(&run.pmu);
			assert_string_equal(run.cpu.complaint, "");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shortest_period_causes_no_nmi_storm),
		cmocka_unit_test(shortest_ibs_count_causes_no_nmi_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
