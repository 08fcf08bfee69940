// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_x86_pmu.c -- tests the module's code for x86 counters (module/x86/), on a simulated CPU
 * (tests/sim/) that raises NMIs at any register access, late, merged, and for other users.
 *
 * OPROFILE_SIM_STEPS: number of simulated steps of each run; with the default all runs take a few
 * seconds.
 */
#include "config.h"

#include "unit/check.h"

#include "sim/run.h"

#define NR_EVENTS	24
#define NR_GROUPS	3

static void add_events(struct sim_run *run, u64 owned, u32 group)
{
	while (owned && run->nr < NR_EVENTS) {
		u32 counter = oprofile_pmu_next(&owned);

		if (sim_random(&run->cpu) % 3)
			sim_run_add(run, counter, group, 150 + sim_random(&run->cpu) % 700);
	}
}

static u64 on_counter(const struct sim_run *run, const u64 *values, u32 counter)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < run->nr; i++)
		total += run->counter[i] == counter ? values[i] : 0;
	return total;
}

/* Check that each counter has as many samples as overflows. */
static void check_accounting(struct sim_run *run)
{
	const struct sim_cpu *cpu = &run->cpu;
	u64 overflows = 0, lost = run->pmu.lost;
	u32 i;

	if (*cpu->complaint)
		fail_msg("%s: %s", cpu->config->name, cpu->complaint);
	for (i = 0; i < SIM_COUNTERS; i++) {
		u64 of = cpu->overflows[i], taken = on_counter(run, run->samples, i);

		overflows += of;
		if (taken > of || taken + lost < of)
			fail_msg("%s: counter %u: %llu overflows, %llu samples, %llu lost",
				 cpu->config->name, i, of, taken, lost);
	}
	if (overflows != sim_sum(run->samples, run->nr) + lost)
		fail_msg("%s: %llu overflows, %llu samples, %llu lost", cpu->config->name,
			 overflows, sim_sum(run->samples, run->nr), lost);
	if (cpu->config->latest < 1000 && !cpu->config->stragglers && lost)
		fail_msg("%s: %llu lost", cpu->config->name, lost);
	if (cpu->claims < sim_sum(run->samples, run->nr))
		fail_msg("%s: %llu samples, but claims of %llu interrupts", cpu->config->name,
			 sim_sum(run->samples, run->nr), cpu->claims);
	/*
	 * On AMD's CPUs, this driver may leave an NMI of its own counters unclaimed only if it has
	 * claimed another source's NMI instead. On Intel's CPUs, as with perf, it may also do so if
	 * it had already found the overflow during another source's NMI.
	 */
	if (cpu->unknown_ours > (cpu->config->vendor == SIM_AMD ? cpu->mistaken : cpu->stolen))
		fail_msg("%s: %llu NMIs of ours were not claimed, %llu overflows taken with others'",
			 cpu->config->name, cpu->unknown_ours, cpu->stolen);
}

/*
 * Check that the number of counted events is the sum of all periods that began, minus unfinished
 * periods and a few events in transit.
 */
static void check_periods(struct sim_run *run)
{
	const struct sim_cpu *cpu = &run->cpu;
	/*
	 * If all interrupts are late, check_no_pending_overflow() checks delayed overflows instead.
	 */
	u64 longest = 800 + 16, latest = cpu->config->stragglers == 1 ? 4000 : cpu->config->latest;
	u32 i;

	for (i = 0; i < SIM_COUNTERS; i++) {
		u64 counted = cpu->counted[i], begun = on_counter(run, run->begun, i);
		u64 late = (cpu->overflows[i] + 1) * (160 + 3 * latest);
		u64 open = (NR_GROUPS + run->pmu.lost) * longest;

		if (cpu->foreign & BIT_ULL(i))
			continue;
		if (counted > begun + late || counted + open < begun)
			fail_msg("%s: counter %u: %llu counted, periods of %llu begun",
				 cpu->config->name, i, counted, begun);
	}
}

/*
 * On CPUs that stop all counters by one write, check that only the handler's instructions before
 * that write were counted.
 */
static void check_handler(struct sim_run *run)
{
	const struct sim_config *c = run->cpu.config;
	u64 most = run->cpu.nmis * hweight64(run->pmu.owned) * 2 * ((c->lag ?: 5) + 3);

	if ((c->vendor == SIM_INTEL || c->v2) && run->cpu.counted_in_nmi > most)
		fail_msg("%s: %llu counted in %llu NMIs", c->name, run->cpu.counted_in_nmi, run->cpu.nmis);
}

struct registers {
	u64 control[SIM_COUNTERS], value[SIM_COUNTERS], global, fixed_control;
	u32 lvtpc;
};

static struct registers registers_of(const struct sim_cpu *cpu)
{
	struct registers r = { .global = cpu->global, .fixed_control = cpu->fixed_control,
			       .lvtpc = cpu->lvtpc };

	memcpy(r.control, cpu->control, sizeof(r.control));
	memcpy(r.value, cpu->value, sizeof(r.value));
	return r;
}

/*
 * Return the value that can be written to the counter: on Intel's CPUs without full-width writes,
 * only the low 32 bits.
 */
static u64 writable(const struct sim_config *c, u32 counter, u64 value)
{
	if (c->vendor == SIM_AMD || c->full_width || counter >= OPROFILE_PMU_FIXED)
		return value;
	return (u64)(int32_t)value & ((1ULL << c->bits) - 1);
}

static void check_restored(struct sim_run *run, const struct registers *before)
{
	struct registers now = registers_of(&run->cpu);
	u32 i;

	for (i = 0; i < SIM_COUNTERS; i++) {
		if (now.control[i] != before->control[i])
			fail_msg("%s: control %u: was %llx, is %llx", run->cpu.config->name, i,
				 before->control[i], now.control[i]);
		if (now.value[i] != writable(run->cpu.config, i, before->value[i]) &&
		    !(run->cpu.foreign & BIT_ULL(i)))
			fail_msg("%s: counter %u: was %llx, is %llx", run->cpu.config->name, i,
				 before->value[i], now.value[i]);
	}
	if (now.global != before->global || now.fixed_control != before->fixed_control)
		fail_msg("%s: global %llx -> %llx, fixed %llx -> %llx", run->cpu.config->name, before->global,
			 now.global, before->fixed_control, now.fixed_control);
}

/* Check that a stop has restored the APIC's LVTPC entry. */
static void check_stopped(struct sim_run *run, u32 lvtpc)
{
	u32 masked = lvtpc & 0x400 ? 1U << 16 : 0, i;

	for (i = 0; i < run->nr; i++) {
		u64 value = run->pmu.events[i].value;

		if (value && !(value & ~(oprofile_pmu_width(&run->pmu, run->counter[i]) >> 1)))
			fail_msg("%s: event %u goes on at %llx, beyond its end", run->cpu.config->name, i, value);
	}
	if (run->cpu.lvtpc & masked)
		fail_msg("%s: LVTPC is left masked", run->cpu.config->name);
	sim_settle(&run->cpu);
	sim_leave_status(&run->cpu);
	if ((run->cpu.lvtpc | masked) != (lvtpc | masked))
		fail_msg("%s: LVTPC was %x, is %x", run->cpu.config->name, lvtpc, run->cpu.lvtpc);
	sim_go(&run->cpu);
}

/* Let all pending interrupts arrive, and check that all overflows have become samples. */
static void check_no_pending_overflow(struct sim_run *run)
{
	u64 waiting;

	sim_settle(&run->cpu);
	waiting = sim_overflowed(&run->cpu) & run->pmu.armed;
	if (waiting)
		fail_msg("%s: counters %llx have overflowed and nobody comes for them",
			 run->cpu.config->name, waiting);
	if (run->pmu.armed & ~sim_enabled(&run->cpu))
		fail_msg("%s: counters %llx do not count", run->cpu.config->name,
			 run->pmu.armed & ~sim_enabled(&run->cpu));
	sim_go(&run->cpu);
}

/*
 * How the driver can recognize counters that other users use: by the kernel's reservations, or only
 * by nonzero registers.
 */
enum { RESERVED = 1, IN_USE = 2 };

static void begin(struct sim_run *run, const struct sim_config *config, u64 foreign, u32 seen, u64 seed,
		  struct registers *before)
{
	u64 reserved = seen & RESERVED ? ~foreign : ~0ULL;
	const char *why;
	u32 i;

	sim_run_begin(run, config, foreign, seen & IN_USE ? 0 : foreign, seed);
	sim_settle(&run->cpu);
	*before = registers_of(&run->cpu);
	sim_go(&run->cpu);
	why = oprofile_pmu_try(&run->pmu, reserved);
	if (why)
		fail_msg("%s: %s", config->name, why);
	/*
	 * disable the limit of the interrupt rate, because the test's periods are shorter than real
	 * ones
	 */
	run->pmu.pace.most = ~0U;
	oprofile_pmu_save(&run->pmu, reserved);
	for (i = 0; i < NR_GROUPS; i++)
		add_events(run, run->pmu.owned, i);
	memset(run->cpu.overflows, 0, sizeof(run->cpu.overflows));
	memset(run->cpu.counted, 0, sizeof(run->cpu.counted));
	oprofile_pmu_start(&run->pmu, 0);
}

/* Stop and restart the counters immediately, after some time, or after a suspend of the machine. */
static void stop_and_restart(struct sim_run *run, struct registers *before)
{
	u32 i;

	if (sim_random(&run->cpu) % 4 == 0)
		check_no_pending_overflow(run);
	oprofile_pmu_stop(&run->pmu);
	if (sim_random(&run->cpu) & 1) {
		check_stopped(run, before->lvtpc);
		for (i = 0; i < sim_random(&run->cpu) % 2000; i++)
			sim_tick(&run->cpu);
		check_accounting(run);
	}
	if (!run->cpu.foreign && !run->cpu.config->force_abort && sim_random(&run->cpu) % 16 == 0) {
		sim_settle(&run->cpu);
		sim_sleep(&run->cpu);
		sim_go(&run->cpu);
		before->lvtpc = run->cpu.lvtpc;
	}
	oprofile_pmu_start(&run->pmu, sim_random(&run->cpu) % (NR_GROUPS + 1));
}

static void end(struct sim_run *run, const struct registers *before)
{
	const struct sim_config *config = run->cpu.config;
	u32 i;

	check_no_pending_overflow(run);
	oprofile_pmu_stop(&run->pmu);
	sim_settle(&run->cpu);
	check_accounting(run);
	check_periods(run);
	check_handler(run);
	sim_go(&run->cpu);
	if (!run->cpu.shaken != !(config->nehalem && !(run->cpu.foreign & 0xf)) && run->pmu.added)
		fail_msg("%s: shaken %llu times", config->name, run->cpu.shaken);
	oprofile_pmu_restore(&run->pmu);
	sim_settle(&run->cpu);
	check_restored(run, before);
	/*
	 * After the counter registers are restored, and after the time in which late NMIs are
	 * expected, the driver claims no NMI.
	 */
	sim_skip_ms(&run->cpu, 101);
	run->cpu.claimed = 0;
	for (i = 0; i < 10; i++)
		sim_inject(&run->cpu);
	assert_int_equal(run->cpu.claimed, 0);
	if (run->nr && getenv("OPROFILE_SIM_VERBOSE"))
		printf("%s: foreign %llx: %llu samples, %llu lost, %llu NMIs, %llu of them from outside, "
		       "%llu overflows of others, %llu stolen, %llu unknown\n", config->name, run->cpu.foreign,
		       sim_sum(run->samples, run->nr), (u64)run->pmu.lost, run->cpu.nmis, run->cpu.external_nmis,
		       run->cpu.foreign_overflows, run->cpu.stolen, run->cpu.unknown_ours);
}

static void run_once(const struct sim_config *config, u64 foreign, u32 seen, bool outside, u64 seed,
		     u64 steps)
{
	static struct sim_run run;
	struct registers before;
	u64 i;

	begin(&run, config, foreign, seen, seed, &before);
	for (i = 0; i < steps; i++) {
		switch (sim_random(&run.cpu) % 4096) {
		case 0:
			stop_and_restart(&run, &before);
			break;
		case 1:
		case 2:
			if (outside)
				sim_inject(&run.cpu);
			break;
		case 3:
		case 4:
		case 5:
		case 6:
			check_no_pending_overflow(&run);
			break;
		default:
			sim_tick(&run.cpu);
		}
	}
	end(&run, &before);
}

static u64 steps(void)
{
	const char *wish = getenv("OPROFILE_SIM_STEPS");

	return wish ? strtoull(wish, NULL, 0) : 200000;
}

static void each_overflow_is_one_sample(void **state)
{
	u32 i, seed;

	(void)state;
	for (i = 0; i < sim_nr_configs; i++) {
		for (seed = 1; seed <= 3; seed++)
			run_once(&sim_configs[i], 0, 0, false, seed, steps());
	}
}

static void external_nmis_are_not_claimed(void **state)
{
	u32 i, seed;

	(void)state;
	for (i = 0; i < sim_nr_configs; i++) {
		for (seed = 1; seed <= 3; seed++)
			run_once(&sim_configs[i], 0, 0, true, seed, steps());
	}
}

static void foreign_counters_are_untouched(void **state)
{
	static const u64 foreign[] = { 1, 2, 1ULL << 32, 3ULL << 33 | 2 };
	u32 i, j;

	(void)state;
	for (i = 0; i < sim_nr_configs; i++) {
		if (sim_configs[i].perf)
			continue;	/* perf treats all counters as its own */
		for (j = 0; j < sizeof(foreign) / sizeof(*foreign); j++)
			run_once(&sim_configs[i], foreign[j], j % 3 + 1, j & 1, j + 7, steps() / 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_overflow_is_one_sample),
		cmocka_unit_test(external_nmis_are_not_claimed),
		cmocka_unit_test(foreign_counters_are_untouched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
