// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_x86_ibs.c -- tests the module's code for instruction-based sampling (module/x86/ibs.c), on a
 * simulated CPU (tests/sim/).
 *
 * OPROFILE_SIM_STEPS: number of simulated steps of each run.
 */
#include "config.h"

#include "unit/check.h"

#include "sim/run.h"

/* IBS capabilities of a CPU without writes to the op count and without extended counts */
#define CAPS		0xd7
#define CAPS_ZEN	0xff
#define MAX_COUNT	0x400
/* number of simulated steps that yields enough samples to judge the sampling rate */
#define LONGEST		7000000

static const struct sim_config configs[] = {
	{ .name = "family 10h", .vendor = SIM_AMD, .family = 0x10, .general = 4, .bits = 48, .latest = 30,
	  .ibs = CAPS },
	{ .name = "family 16h", .vendor = SIM_AMD, .family = 0x16, .general = 4, .bits = 48, .latest = 30,
	  .ibs = CAPS },
	{ .name = "family 17h", .vendor = SIM_AMD, .family = 0x17, .core = true, .general = 6, .bits = 48,
	  .latest = 30, .ibs = CAPS_ZEN },
	{ .name = "family 17h, stragglers", .vendor = SIM_AMD, .family = 0x17, .core = true, .general = 6,
	  .bits = 48, .latest = 30, .stragglers = 64, .ibs = CAPS_ZEN },
	{ .name = "family 19h", .vendor = SIM_AMD, .family = 0x19, .core = true, .general = 6, .bits = 48,
	  .latest = 30, .ibs = CAPS_ZEN },
	{ .name = "family 1Ah", .vendor = SIM_AMD, .family = 0x1a, .core = true, .v2 = true, .general = 6,
	  .bits = 48, .latest = 30, .ibs = CAPS_ZEN },
};

#define NR_CONFIGS	(sizeof(configs) / sizeof(*configs))

static void stop_ibs(struct sim_run *run)
{
	u32 armed = oprofile_ibs_armed(&run->ibs);

	if (armed)
		oprofile_pmu_expect_late(&run->pmu, armed);
	oprofile_ibs_stop(&run->ibs);
	oprofile_pmu_stop(&run->pmu);
}

static void start_ibs(struct sim_run *run)
{
	oprofile_pmu_start(&run->pmu, 0);
	assert_null(oprofile_ibs_start(&run->ibs));
}

static const struct oprofile_ibs_wish wish = {
	.enable = 1, .max_count = MAX_COUNT, .rand_enable = 1,
};

static void begin_run(struct sim_run *run, const struct sim_config *config, u64 seed)
{
	const char *why;

	sim_run_begin(run, config, 0, 0, seed);
	why = oprofile_ibs_save(&run->ibs, &wish, &wish);
	if (why)
		fail_msg("%s: %s", config->name, why);
}

/*
 * Check, for one unit of IBS, that the number of samples matches the number of fetches or
 * operations that were counted while the module used the unit.
 */
static void check_rate(const struct sim_run *run, u32 unit, u64 samples, u64 starts)
{
	u64 counted = run->cpu.ibs[unit].counted, max = samples * MAX_COUNT;

	if (counted > max + (starts + 1) * MAX_COUNT + samples * 64 ||
	    counted < max - samples * (16 * 16 + 130))
		fail_msg("%s: unit %u: %llu samples of %u, but %llu counted", run->cpu.config->name, unit,
			 samples, MAX_COUNT, counted);
}

static void check(struct sim_run *run, u64 starts)
{
	const struct sim_cpu *cpu = &run->cpu;
	const struct sim_ibs *fetch = &cpu->ibs[SIM_IBS_FETCH], *op = &cpu->ibs[SIM_IBS_OP];
	u64 gone = fetch->overwritten + op->overwritten, few = 2 + starts / 200, missed;

	if (*cpu->complaint)
		fail_msg("%s: %s", cpu->config->name, cpu->complaint);
	missed = fetch->samples + op->samples - run->fetches - run->ops;
	/* Between two accesses to a register, only a few samples can be lost. */
	if (missed < run->ibs.lost || missed > gone || gone > run->ibs.lost + few ||
	    (run->ibs.lost > few && !cpu->config->stragglers))
		fail_msg("%s: %llu samples missed, %u lost at a stop, %llu overwritten", cpu->config->name,
			 missed, run->ibs.lost, gone);
	if (run->nowhere > fetch->nowhere || run->nowhere + gone < fetch->nowhere)
		fail_msg("%s: %llu of %llu fetches from nowhere", cpu->config->name, run->nowhere,
			 fetch->nowhere);
	if (cpu->unknown_ours > cpu->mistaken)
		fail_msg("%s: %llu NMIs of ours were not claimed", cpu->config->name, cpu->unknown_ours);
	check_rate(run, SIM_IBS_FETCH, run->fetches, starts);
	check_rate(run, SIM_IBS_OP, run->ops, starts);
}

static u64 steps(void)
{
	const char *wish = getenv("OPROFILE_SIM_STEPS");

	return wish ? strtoull(wish, NULL, 0) : 350000;
}

/*
 * Return whether the run has too few samples to judge the rate, because a late interrupt stops its
 * IBS unit for up to a third of the run.
 */
static bool is_few(const struct sim_run *run)
{
	return run->fetches < 50 || run->ops < 50;
}

static void ibs_samples_have_requested_rate(void **state)
{
	static struct sim_run run;
	u32 i;

	(void)state;
	for (i = 0; i < NR_CONFIGS; i++) {
		u64 step, starts = 1;
		u32 lvtpc;

		begin_run(&run, &configs[i], i + 1);
		lvtpc = run.cpu.lvtpc;
		start_ibs(&run);
		for (step = 0; step < steps() || (is_few(&run) && step < LONGEST); step++) {
			sim_tick(&run.cpu);
			if (sim_random(&run.cpu) % 2048)
				continue;
			stop_ibs(&run);
			start_ibs(&run);
			starts++;
		}
		stop_ibs(&run);
		sim_settle(&run.cpu);
		check(&run, starts);
		assert_int_equal(run.cpu.lvtpc, lvtpc);
		oprofile_ibs_restore(&run.ibs);
		if (is_few(&run))
			fail_msg("%s: %llu fetches, %llu ops", configs[i].name, run.fetches, run.ops);
		assert_string_equal(run.cpu.complaint, "");
	}
}

/*
 * If the interrupt of IBS comes at the same time as the sample, a stop loses no sample, at
 * whichever instruction the interrupt comes.
 */
static void stop_loses_no_ibs_sample(void **state)
{
	static const struct sim_config at_once[] = {
		{ .name = "family 10h, at once", .vendor = SIM_AMD, .family = 0x10, .general = 4, .bits = 48, .ibs = CAPS },
		{ .name = "family 1Ah, at once", .vendor = SIM_AMD, .family = 0x1a, .core = true, .v2 = true,
		  .general = 6, .bits = 48, .ibs = CAPS_ZEN },
	};
	static const struct oprofile_ibs_wish often = { .enable = 1, .max_count = 0x240, .rand_enable = 1 };
	static struct sim_run run;

	(void)state;
	for (u32 i = 0; i < sizeof(at_once) / sizeof(*at_once); i++) {
		const struct sim_ibs *units = run.cpu.ibs;

		sim_run_begin(&run, &at_once[i], 0, 0, i + 1);
		assert_null(oprofile_ibs_save(&run.ibs, &often, &often));
		for (u32 stops = 0; stops < 5000; stops++) {
			start_ibs(&run);
			for (u32 ticks = sim_random(&run.cpu) % 1000; ticks; ticks--)
				sim_tick(&run.cpu);
			stop_ibs(&run);
		}
		sim_settle(&run.cpu);
		if (units[SIM_IBS_FETCH].samples != run.fetches || units[SIM_IBS_OP].samples != run.ops || run.ibs.lost)
			fail_msg("%s: of %llu fetches and %llu operations %u and %u were taken, %u lost", at_once[i].name,
				 units[SIM_IBS_FETCH].samples, units[SIM_IBS_OP].samples, run.fetches, run.ops, run.ibs.lost);
		assert_true(run.fetches > 100 && run.ops > 100);
		oprofile_ibs_restore(&run.ibs);
		assert_string_equal(run.cpu.complaint, "");
	}
}

/*
 * If another user of IBS, such as the kernel's perf, uses an IBS unit without reserving it, the
 * module does not change that unit's registers.
 */
static void ibs_units_of_other_users_are_untouched(void **state)
{
	static struct sim_run run;
	u32 i;

	(void)state;
	for (i = 0; i < NR_CONFIGS; i++) {
		u64 step;
		u32 taken;

		begin_run(&run, &configs[i], i + 1);
		start_ibs(&run);
		for (step = 0; step < steps() / 4; step++) {
			sim_tick(&run.cpu);
			switch (sim_random(&run.cpu) % 2048) {
			case 0:
				sim_ibs_set_foreign(&run.cpu, sim_random(&run.cpu) >> 40 & 3);
				break;
			case 1:
			case 2:
				stop_ibs(&run);
				start_ibs(&run);
			}
		}
		sim_ibs_set_foreign(&run.cpu, 3);
		stop_ibs(&run);
		oprofile_ibs_restore(&run.ibs);
		if (*run.cpu.complaint)
			fail_msg("%s: %s", configs[i].name, run.cpu.complaint);
		assert_true(run.ibs.taken_away);
		/* Sampling continues after the other user has stopped using IBS. */
		sim_ibs_set_foreign(&run.cpu, 0);
		begin_run(&run, &configs[i], i + 1);
		start_ibs(&run);
		sim_ibs_set_foreign(&run.cpu, 3);
		stop_ibs(&run);
		sim_ibs_set_foreign(&run.cpu, 0);
		start_ibs(&run);
		taken = run.fetches;
		for (step = 0; step < 100000; step++)
			sim_tick(&run.cpu);
		assert_true(run.fetches > taken);
		stop_ibs(&run);
	}
}

/*
 * The module does not restore the bit of a valid sample in an IBS register, because this bit would
 * raise an interrupt.
 */
static void restored_registers_hold_no_sample(void **state)
{
	static struct sim_run run;

	(void)state;
	begin_run(&run, &configs[2], 1);
	run.cpu.ibs[SIM_IBS_FETCH].control = 1ULL << 49 | 0x77;
	run.cpu.ibs[SIM_IBS_OP].control = 1ULL << 18 | 0x77;
	assert_null(oprofile_ibs_save(&run.ibs, &wish, &wish));
	start_ibs(&run);
	stop_ibs(&run);
	oprofile_ibs_restore(&run.ibs);
	assert_string_equal(run.cpu.complaint, "");
	assert_int_equal(run.cpu.ibs[SIM_IBS_FETCH].control, 0x77);
	assert_int_equal(run.cpu.ibs[SIM_IBS_OP].control, 0x77);
}

/*
 * If no interrupt is set up for IBS, the module refuses to use IBS before it writes any register.
 */
static void ibs_without_interrupt_is_refused(void **state)
{
	static struct sim_run run;
	const char *why;

	(void)state;
	sim_run_begin(&run, &configs[2], 0, 0, 1);
	run.cpu.ibs_interrupt = SIM_IBS_NO_INTERRUPT;
	why = oprofile_ibs_save(&run.ibs, &wish, &wish);
	assert_non_null(why);
	assert_non_null(strstr(why, "the interrupt of IBS is not set"));
	run.cpu.ibs_interrupt = SIM_IBS_OTHERS_INTERRUPT;
	why = oprofile_ibs_save(&run.ibs, &wish, &wish);
	assert_non_null(why);
	assert_non_null(strstr(why, "is used by another driver"));
	start_ibs(&run);
	oprofile_ibs_stop(&run.ibs);
	oprofile_ibs_restore(&run.ibs);
	assert_string_equal(run.cpu.complaint, "");
	assert_int_equal(run.cpu.ibs[SIM_IBS_FETCH].control | run.cpu.ibs[SIM_IBS_OP].control, 0);
}

static void ibs_is_refused_when_suspend_moved_interrupt(void **state)
{
	static struct sim_run run;
	u64 step;

	(void)state;
	begin_run(&run, &configs[2], 1);
	start_ibs(&run);
	stop_ibs(&run);
	sim_sleep(&run.cpu);
	start_ibs(&run);
	for (step = 0; step < 100000; step++)
		sim_tick(&run.cpu);
	stop_ibs(&run);
	assert_true(run.fetches && run.ops);
	sim_sleep(&run.cpu);
	run.cpu.ibs_interrupt = SIM_IBS_OTHERS_INTERRUPT;
	assert_non_null(oprofile_ibs_start(&run.ibs));
	assert_int_equal(oprofile_ibs_armed(&run.ibs), 0);
	assert_string_equal(run.cpu.complaint, "");
}

static void kill_stops_ibs_once(void **state)
{
	static struct sim_run run;
	u32 i;

	(void)state;
	for (i = 0; i < NR_CONFIGS; i++) {
		begin_run(&run, &configs[i], 1);
		start_ibs(&run);
		assert_true(oprofile_ibs_kill(&run.ibs));
		assert_false(oprofile_ibs_kill(&run.ibs));
		assert_int_equal(run.cpu.ibs[SIM_IBS_FETCH].control | run.cpu.ibs[SIM_IBS_OP].control, 0);
		assert_string_equal(run.cpu.complaint, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ibs_samples_have_requested_rate),
		cmocka_unit_test(stop_loses_no_ibs_sample),
		cmocka_unit_test(ibs_units_of_other_users_are_untouched),
		cmocka_unit_test(restored_registers_hold_no_sample),
		cmocka_unit_test(ibs_without_interrupt_is_refused),
		cmocka_unit_test(ibs_is_refused_when_suspend_moved_interrupt),
		cmocka_unit_test(kill_stops_ibs_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
