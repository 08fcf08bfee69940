// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The module's code for x86 counters (module/x86/), on a simulated CPU (tests/sim/) that lets NMIs come
 * at every register access, late, together, and from others.
 *
 * OPROFILE_SIM_STEPS: steps of each run; the default takes a few seconds for all of them.
 */
#include "config.h"

#include "unit/check.h"

#include "sim/cpu.h"
#include "x86/pmu.h"

#define LATE	3000	/* ticks; a stop waits for 1000 */

static const struct sim_config configs[] = {
	{ .name = "AMD 10h", .vendor = SIM_AMD, .family = 0x10, .general = 4, .bits = 48, .latest = 30 },
	{ .name = "AMD 16h, late", .vendor = SIM_AMD, .family = 0x16, .general = 4, .bits = 48, .latest = LATE },
	{ .name = "AMD 15h", .vendor = SIM_AMD, .family = 0x15, .core = true, .general = 6, .bits = 48,
	  .latest = 30 },
	{ .name = "AMD 17h, late", .vendor = SIM_AMD, .family = 0x17, .core = true, .general = 6, .bits = 48,
	  .latest = LATE },
	{ .name = "AMD 10h, stragglers", .vendor = SIM_AMD, .family = 0x10, .general = 4, .bits = 48,
	  .latest = 30, .stragglers = 64 },
	{ .name = "AMD 17h, stragglers", .vendor = SIM_AMD, .family = 0x17, .core = true, .general = 6,
	  .bits = 48, .latest = 30, .stragglers = 8 },
	{ .name = "AMD 19h, PerfMonV2, stragglers", .vendor = SIM_AMD, .family = 0x19, .core = true, .v2 = true,
	  .general = 6, .bits = 48, .latest = 30, .stragglers = 64 },
	{ .name = "AMD 17h, a hypervisor masks", .vendor = SIM_AMD, .family = 0x17, .core = true,
	  .general = 6, .bits = 48, .latest = 30, .masks = true },
	{ .name = "AMD 19h, PerfMonV2", .vendor = SIM_AMD, .family = 0x19, .core = true, .v2 = true,
	  .general = 6, .bits = 48, .latest = 30 },
	{ .name = "AMD 1Ah, PerfMonV2, freezes, late", .vendor = SIM_AMD, .family = 0x1a, .core = true,
	  .v2 = true, .freezes = true, .general = 6, .bits = 48, .latest = LATE },
	{ .name = "Intel v1", .vendor = SIM_INTEL, .version = 1, .general = 2, .bits = 40, .masks = true,
	  .latest = 30 },
	{ .name = "Intel v2", .vendor = SIM_INTEL, .version = 2, .general = 2, .fixed = 7, .bits = 40,
	  .masks = true, .latest = 30 },
	{ .name = "Intel v3, wider fixed counters", .vendor = SIM_INTEL, .version = 3, .general = 4, .fixed = 7,
	  .bits = 40, .fixed_bits = 48, .masks = true, .latest = 30 },
	{ .name = "Intel v2, does not say it has fixed counters", .vendor = SIM_INTEL, .version = 2,
	  .general = 2, .fixed = 7, .silent = true, .bits = 40, .masks = true, .latest = 30 },
	{ .name = "Intel v2, virtual, without fixed counters", .vendor = SIM_INTEL, .version = 2,
	  .general = 4, .virtual = true, .bits = 48, .masks = true, .latest = 30 },
	{ .name = "Intel v3", .vendor = SIM_INTEL, .version = 3, .general = 4, .fixed = 7, .bits = 48,
	  .masks = true, .latest = 30 },
	{ .name = "Intel v3, Nehalem", .vendor = SIM_INTEL, .version = 3, .general = 4, .fixed = 7, .bits = 48,
	  .nehalem = true, .masks = true, .latest = 30 },
	{ .name = "Intel v3, full width, late", .vendor = SIM_INTEL, .version = 3, .general = 8, .fixed = 7,
	  .bits = 48, .full_width = true, .masks = true, .latest = LATE },
	{ .name = "Intel v4, freezes", .vendor = SIM_INTEL, .version = 4, .general = 8, .fixed = 7, .bits = 48,
	  .full_width = true, .masks = true, .freezes = true, .latest = 30 },
	{ .name = "Intel v4, transactions", .vendor = SIM_INTEL, .version = 4, .general = 8, .fixed = 7,
	  .bits = 48, .full_width = true, .masks = true, .force_abort = true, .latest = 30 },
	{ .name = "Intel v4, a hypervisor does not mask", .vendor = SIM_INTEL, .version = 4, .general = 4,
	  .fixed = 7, .bits = 48, .full_width = true, .latest = 30 },
	{ .name = "Intel v2, intel_pt", .vendor = SIM_INTEL, .version = 2, .general = 4, .fixed = 7, .bits = 48,
	  .masks = true, .perf = true, .latest = 30 },
	{ .name = "Intel v4, freezes, intel_pt", .vendor = SIM_INTEL, .version = 4, .general = 8, .fixed = 7,
	  .bits = 48, .full_width = true, .masks = true, .freezes = true, .perf = true, .latest = 30 },
	{ .name = "Intel v5", .vendor = SIM_INTEL, .version = 5, .general = 8, .fixed = 0xf, .bits = 48,
	  .full_width = true, .masks = true, .latest = 30 },
	{ .name = "Intel v5, freezes, late, holes", .vendor = SIM_INTEL, .version = 5, .general = 6,
	  .fixed = 0x17, .bits = 48, .full_width = true, .masks = true, .freezes = true, .latest = LATE },
};

#define NR_CONFIGS	(sizeof(configs) / sizeof(*configs))
#define NR_EVENTS	24
#define NR_GROUPS	3

struct run {
	struct sim_cpu cpu;
	struct oprofile_pmu pmu;
	u64 period[OPROFILE_PMU_EVENTS];
	u32 counter[OPROFILE_PMU_EVENTS];
	u64 begun[OPROFILE_PMU_EVENTS];		/* sum of the periods that began */
	u64 samples[OPROFILE_PMU_EVENTS];
	u32 nr;
	u64 entered;
};

u64 oprofile_pmu_period(struct oprofile_pmu *p, u32 event)
{
	struct run *run = (struct run *)((char *)p - offsetof(struct run, pmu));
	u64 period = run->period[event] + sim_random(&run->cpu) % 16;

	run->begun[event] += period;
	return period;
}

/* As the module's handler does it. */
static u32 handle(void *data)
{
	struct run *run = data;
	u32 events, claimed;

	run->entered++;
	claimed = oprofile_pmu_take(&run->pmu, 0, &events);
	while (events) {
		run->samples[__builtin_ctz(events)]++;
		events &= events - 1;
	}
	oprofile_pmu_resume(&run->pmu);
	return claimed;
}

static struct oprofile_pmu_event event_for(const struct sim_config *c, u32 counter)
{
	return (struct oprofile_pmu_event){
		.period = 200, .counter = counter, .kernel = true, .user = true,
		.code = counter >= OPROFILE_PMU_FIXED ? 0 : c->vendor == SIM_AMD ? 0x1a3 : 0xa3,
		.unit_mask = counter >= OPROFILE_PMU_FIXED ? counter - OPROFILE_PMU_FIXED + 1 : 0x12,
		.extra = counter >= OPROFILE_PMU_FIXED ? 0 : 0x05840000,
	};
}

static void add_events(struct run *run, u64 owned, u32 group)
{
	while (owned && run->nr < NR_EVENTS) {
		u32 counter = oprofile_pmu_next(&owned);
		struct oprofile_pmu_event e = event_for(run->cpu.config, counter);
		const char *why;

		if (sim_random(&run->cpu) % 3 == 0)
			continue;
		e.group = group;
		run->period[run->nr] = e.period = 150 + sim_random(&run->cpu) % 700;
		run->counter[run->nr] = counter;
		why = oprofile_pmu_add(&run->pmu, &e, run->nr);
		if (why)
			fail_msg("counter %u: %s", counter, why);
		run->nr++;
	}
}

static u64 sum(const u64 *values, u32 nr)
{
	u64 total = 0;

	while (nr--)
		total += values[nr];
	return total;
}

static u64 on_counter(const struct run *run, const u64 *values, u32 counter)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < run->nr; i++)
		total += run->counter[i] == counter ? values[i] : 0;
	return total;
}

/* One overflow, one sample, counter by counter. */
static void check_books(struct run *run)
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
	if (overflows != sum(run->samples, run->nr) + lost)
		fail_msg("%s: %llu overflows, %llu samples, %llu lost", cpu->config->name,
			 overflows, sum(run->samples, run->nr), lost);
	if (cpu->config->latest < 1000 && !cpu->config->stragglers && lost)
		fail_msg("%s: %llu lost", cpu->config->name, lost);
	if (cpu->claims < sum(run->samples, run->nr))
		fail_msg("%s: %llu samples, but claims of %llu interrupts", cpu->config->name,
			 sum(run->samples, run->nr), cpu->claims);
	/* On AMD's CPUs only for those of others that were taken instead; perf risks as much on Intel's. */
	if (cpu->unknown_ours > (cpu->config->vendor == SIM_AMD ? cpu->mistaken : cpu->stolen))
		fail_msg("%s: %llu NMIs of ours were not claimed, %llu overflows taken with others'",
			 cpu->config->name, cpu->unknown_ours, cpu->stolen);
}

/* What was counted is the periods that are over, those that are not, and a little on the way. */
static void check_periods(struct run *run)
{
	const struct sim_cpu *cpu = &run->cpu;
	u64 longest = 800 + 16;
	u32 i;

	for (i = 0; i < SIM_COUNTERS; i++) {
		u64 counted = cpu->counted[i], begun = on_counter(run, run->begun, i);
		u64 late = (cpu->overflows[i] + 1) * (160 + 3 * cpu->config->latest);
		u64 open = (NR_GROUPS + run->pmu.lost) * longest;

		if (cpu->foreign & BIT_ULL(i))
			continue;
		if (counted > begun + late || counted + open < begun)
			fail_msg("%s: counter %u: %llu counted, periods of %llu begun",
				 cpu->config->name, i, counted, begun);
	}
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

/* Without full-width writes, no more than 32 bits of a counter of Intel's can be put back. */
static u64 writable(const struct sim_config *c, u32 counter, u64 value)
{
	if (c->vendor == SIM_AMD || c->full_width || counter >= OPROFILE_PMU_FIXED)
		return value;
	return (u64)(int32_t)value & ((1ULL << c->bits) - 1);
}

static void check_restored(struct run *run, const struct registers *before)
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

/* The APIC's entry is ours while we count only. */
static void check_stopped(struct run *run, u32 lvtpc)
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

/* All quiet: what is under way arrives. Then no overflow of ours may be waiting for a sample. */
static void check_nothing_waits(struct run *run)
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

/* What the kernel's list of counters does not tell of others' counters, registers do. */
enum { RESERVED = 1, IN_USE = 2 };

static void run_once(const struct sim_config *config, u64 foreign, u32 seen, bool outside, u64 seed,
		     u64 steps)
{
	static struct run run;
	struct registers before;
	const char *why;
	u64 i;

	memset(&run, 0, sizeof(run));
	sim_init(&run.cpu, config, foreign, seen & IN_USE ? 0 : foreign, seed);
	sim_use(&run.cpu);
	run.cpu.handler = handle;
	run.cpu.data = &run;
	why = oprofile_pmu_detect(&run.pmu);
	if (why)
		fail_msg("%s: %s", config->name, why);
	sim_settle(&run.cpu);
	before = registers_of(&run.cpu);
	sim_go(&run.cpu);

	why = oprofile_pmu_try(&run.pmu, seen & RESERVED ? ~foreign : ~0ULL);
	if (why)
		fail_msg("%s: %s", config->name, why);
	run.pmu.pace.most = ~0U;	/* that nothing is held back: the periods are shorter than any real one */
	oprofile_pmu_save(&run.pmu, seen & RESERVED ? ~foreign : ~0ULL);
	for (i = 0; i < NR_GROUPS; i++)
		add_events(&run, run.pmu.owned, i);
	memset(run.cpu.overflows, 0, sizeof(run.cpu.overflows));
	memset(run.cpu.counted, 0, sizeof(run.cpu.counted));
	oprofile_pmu_start(&run.pmu, 0);
	for (i = 0; i < steps; i++) {
		switch (sim_random(&run.cpu) % 4096) {
		case 0:
			if (sim_random(&run.cpu) % 4 == 0)
				check_nothing_waits(&run);
			oprofile_pmu_stop(&run.pmu);
			if (sim_random(&run.cpu) & 1) {
				u32 j;

				check_stopped(&run, before.lvtpc);
				for (j = 0; j < sim_random(&run.cpu) % 2000; j++)
					sim_tick(&run.cpu);
				check_books(&run);
			}
			if (!foreign && !config->force_abort && sim_random(&run.cpu) % 16 == 0) {
				sim_settle(&run.cpu);
				sim_sleep(&run.cpu);
				sim_go(&run.cpu);
				before.lvtpc = run.cpu.lvtpc;
			}
			oprofile_pmu_start(&run.pmu, sim_random(&run.cpu) % (NR_GROUPS + 1));
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
			check_nothing_waits(&run);
			break;
		default:
			sim_tick(&run.cpu);
		}
	}
	check_nothing_waits(&run);
	oprofile_pmu_stop(&run.pmu);
	sim_settle(&run.cpu);
	check_books(&run);
	check_periods(&run);
	sim_go(&run.cpu);
	if (!run.cpu.shaken != !(config->nehalem && !(foreign & 0xf)) && run.pmu.added)
		fail_msg("%s: shaken %llu times", config->name, run.cpu.shaken);
	oprofile_pmu_restore(&run.pmu);
	sim_settle(&run.cpu);
	check_restored(&run, &before);
	/* Nothing is ours any more, least of all NMIs. */
	sim_skip_ms(&run.cpu, 101);
	run.cpu.claimed = 0;
	for (i = 0; i < 10; i++)
		sim_inject(&run.cpu);
	assert_int_equal(run.cpu.claimed, 0);
	if (run.nr && getenv("OPROFILE_SIM_VERBOSE"))
		printf("%s: foreign %llx: %llu samples, %llu lost, %llu NMIs, %llu of them from outside, "
		       "%llu overflows of others, %llu stolen, %llu unknown\n", config->name, foreign,
		       sum(run.samples, run.nr), (u64)run.pmu.lost, run.cpu.nmis, run.cpu.external_nmis,
		       run.cpu.foreign_overflows, run.cpu.stolen, run.cpu.unknown_ours);
}

static u64 steps(void)
{
	const char *wish = getenv("OPROFILE_SIM_STEPS");

	return wish ? strtoull(wish, NULL, 0) : 200000;
}

static void one_overflow_is_one_sample(void **state)
{
	u32 i, seed;

	(void)state;
	for (i = 0; i < NR_CONFIGS; i++) {
		for (seed = 1; seed <= 3; seed++)
			run_once(&configs[i], 0, 0, false, seed, steps());
	}
}

static void nmis_from_outside_pass(void **state)
{
	u32 i, seed;

	(void)state;
	for (i = 0; i < NR_CONFIGS; i++) {
		for (seed = 1; seed <= 3; seed++)
			run_once(&configs[i], 0, 0, true, seed, steps());
	}
}

static void counters_of_others_are_left_alone(void **state)
{
	static const u64 foreign[] = { 1, 2, 1ULL << 32, 3ULL << 33 | 2 };
	u32 i, j;

	(void)state;
	for (i = 0; i < NR_CONFIGS; i++) {
		if (configs[i].perf)
			continue;	/* he counts nothing else */
		for (j = 0; j < sizeof(foreign) / sizeof(*foreign); j++)
			run_once(&configs[i], foreign[j], j % 3 + 1, j & 1, j + 7, steps() / 2);
	}
}

/* As many NMIs as counters can make: the program goes on, and once they are calm, so do the periods. */
static void no_count_is_a_storm(void **state)
{
	static struct run run;
	u64 i, inside, calm, nmis;
	u32 counter;

	(void)state;
	for (i = 0; i < NR_CONFIGS; i++) {
		memset(&run, 0, sizeof(run));
		sim_init(&run.cpu, &configs[i], 0, 0, 1);
		sim_use(&run.cpu);
		run.cpu.handler = handle;
		run.cpu.data = &run;
		assert_null(oprofile_pmu_detect(&run.pmu));
		oprofile_pmu_save(&run.pmu, ~0ULL);
		for (counter = 0; counter < min(configs[i].general, 3U); counter++) {
			struct oprofile_pmu_event e = event_for(&configs[i], counter);

			run.period[counter] = 1;
			run.counter[counter] = counter;
			assert_null(oprofile_pmu_add(&run.pmu, &e, counter));
			run.nr++;
		}
		oprofile_pmu_start(&run.pmu, 0);
		while (run.cpu.ticks < 20 * 20000)	/* 20 ms */
			sim_tick(&run.cpu);
		nmis = run.cpu.nmis;
		inside = run.cpu.ticks_in_nmi;
		if (nmis > 20 * 100 + 2000 || inside > run.cpu.ticks / 2)
			fail_msg("%s: %llu NMIs in 20 ms, %llu of %llu ticks in them", configs[i].name, nmis,
				 inside, run.cpu.ticks);
		assert_true(run.pmu.pace.halved || nmis < 2000);
		for (counter = 0; counter < configs[i].general; counter++)
			run.period[counter] = 20000;
		for (calm = 0; calm < 500 * 20000 && run.pmu.pace.shift; calm++)
			sim_tick(&run.cpu);
		assert_int_equal(run.pmu.pace.shift, 0);
		oprofile_pmu_stop(&run.pmu);
	}
}

static struct oprofile_pmu pmu_of(struct sim_cpu *cpu, const struct sim_config *config)
{
	struct oprofile_pmu pmu;
	const char *why;

	sim_init(cpu, config, 0, 0, 1);
	sim_use(cpu);
	why = oprofile_pmu_detect(&pmu);
	if (why)
		fail_msg("%s: %s", config->name, why);
	return pmu;
}

static const char *refusal(const struct oprofile_pmu *pmu, struct oprofile_pmu_event e)
{
	const char *why;

	e.period = e.period ?: 1000;
	e.kernel = e.user = true;
	why = oprofile_pmu_refuse(pmu, &e, pmu->counters);
	return why ?: "";
}

static void what_cannot_be_counted_is_refused(void **state)
{
	static const struct sim_config amd = {
		.vendor = SIM_AMD, .family = 0x19, .core = true, .general = 6, .bits = 48,
	}, narrow = {
		.vendor = SIM_INTEL, .version = 3, .general = 4, .fixed = 7, .bits = 48,
	}, wide = {
		.vendor = SIM_INTEL, .version = 5, .general = 8, .fixed = 0xf, .bits = 48,
		.full_width = true,
	};
	static struct sim_cpu cpu;
	struct oprofile_pmu p = pmu_of(&cpu, &amd);

#define REFUSED(text, ...) \
	assert_non_null(strstr(refusal(&p, (struct oprofile_pmu_event){ __VA_ARGS__ }), text))
#define TAKEN(...) \
	assert_string_equal(refusal(&p, (struct oprofile_pmu_event){ __VA_ARGS__ }), "")
	(void)state;
	TAKEN(.code = 0xfff, .unit_mask = 0xff, .extra = 0xff840000, .counter = 5);
	REFUSED("no such counter", .code = 0x76, .counter = 6);
	REFUSED("no such counter", .code = 0x76, .counter = 32);
	REFUSED("no such counter", .code = 0x76, .counter = 255);
	REFUSED("12 bits", .code = 0x1000);
	REFUSED("two counters", .code = 3, .unit_mask = 0xff);
	TAKEN(.code = 0x103, .unit_mask = 0xff);
	REFUSED("8 bits", .code = 0x76, .unit_mask = 0x100);
	REFUSED("event select register", .code = 0x76, .extra = 1 << 21);
	TAKEN(.code = 0x76, .period = (1ULL << 47) - 1);
	REFUSED("more than the counter holds", .code = 0x76, .period = 1ULL << 47);

	p = pmu_of(&cpu, &narrow);
	TAKEN(.code = 0xc0, .extra = 1 << 21, .period = (1ULL << 31) - 1);
	REFUSED("more than the counter holds", .code = 0xc0, .period = 1ULL << 31);
	REFUSED("8 bits", .code = 0x1c0);
	REFUSED("fixed counter can", .code = 0, .unit_mask = 3);
	TAKEN(.code = 0, .unit_mask = 3, .counter = 34);
	TAKEN(.code = 0x3c, .counter = 33);
	REFUSED("own event", .code = 0x3c, .counter = 32);
	REFUSED("own event", .code = 0x3c, .unit_mask = 1, .counter = 34);
	REFUSED("edge, inv", .code = 0xc0, .counter = 32, .extra = 1 << 24);
	REFUSED("no such counter", .code = 0, .unit_mask = 4, .counter = 35);

	p = pmu_of(&cpu, &wide);
	TAKEN(.code = 0xc0, .period = (1ULL << 47) - 1);
	TAKEN(.code = 0, .unit_mask = 4, .counter = 35);
	REFUSED("event select register", .code = 0xc0, .extra = 1 << 21);
}

/* Two kinds of cores in one machine: each says for itself. */
static void kinds_of_cores_differ(void **state)
{
	static const struct sim_config fast = {
		.vendor = SIM_INTEL, .version = 5, .general = 8, .fixed = 0xf, .bits = 48,
		.full_width = true, .core_type = 0x40,
	}, slow = {
		.vendor = SIM_INTEL, .version = 5, .general = 6, .fixed = 7, .bits = 48,
		.full_width = true, .core_type = 0x20, .no_events = 1 << 7,
	};
	static struct sim_cpu cpu;
	struct oprofile_pmu p = pmu_of(&cpu, &fast);

	(void)state;
	assert_int_equal(p.core_type, 0x40);
	TAKEN(.code = 0xc0, .counter = 7);
	TAKEN(.code = 0xa4, .unit_mask = 1);
	p = pmu_of(&cpu, &slow);
	assert_int_equal(p.core_type, 0x20);
	REFUSED("no such counter", .code = 0xc0, .counter = 7);
	REFUSED("kind of core", .code = 0xa4, .unit_mask = 1);
	TAKEN(.code = 0xa4, .unit_mask = 2);
	TAKEN(.code = 0xd1, .unit_mask = 1, .core_type = 0x20);
	TAKEN(.code = 0xd1, .unit_mask = 1);
	REFUSED("something else", .code = 0xd1, .unit_mask = 1, .core_type = 0x40);
	TAKEN(.code = 0x2e, .unit_mask = 0x41, .core_type = 0x40);
	TAKEN(.code = 0, .unit_mask = 2, .counter = 33, .core_type = 0x40);
}

/* Reading, writing and keeping are not counting. */
static void counters_that_only_look_like_it(void **state)
{
	static const struct {
		struct sim_config config;
		const char *text;
	} cases[] = {
		{ { .vendor = SIM_INTEL, .version = 2, .general = 4, .bits = 48, .virtual = true,
		    .refuses = true }, "cannot be" },
		{ { .vendor = SIM_INTEL, .version = 2, .general = 4, .bits = 48, .virtual = true,
		    .forgets = true }, "do not keep" },
		{ { .vendor = SIM_INTEL, .version = 2, .general = 4, .bits = 48, .virtual = true,
		    .stands = true }, "do not count" },
		{ { .vendor = SIM_INTEL, .version = 1, .general = 2, .bits = 40, .stands = true }, "do not count" },
		{ { .vendor = SIM_AMD, .family = 0x17, .core = true, .general = 6, .bits = 48,
		    .stands = true }, "do not count" },
		{ { .vendor = SIM_AMD, .family = 0x19, .core = true, .v2 = true, .general = 6, .bits = 48,
		    .forgets = true }, "do not keep" },
	};
	static struct sim_cpu cpu;
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct oprofile_pmu p = pmu_of(&cpu, &cases[i].config);
		const char *why = oprofile_pmu_try(&p, ~0ULL);

		if (!why || !strstr(why, cases[i].text))
			fail_msg("%u: %s", i, why ?: "all is well");
		assert_string_equal(cpu.complaint, "");
	}
}

/* Global control without the registers that it controls: a hypervisor's word. */
static void half_of_perfmon_v2_is_none(void **state)
{
	static const struct sim_config config = {
		.vendor = SIM_AMD, .family = 0x19, .v2 = true, .general = 4, .bits = 48,
	};
	static struct sim_cpu cpu;
	struct oprofile_pmu p = pmu_of(&cpu, &config);

	(void)state;
	assert_string_equal(p.name, "x86-64/amd");
	assert_int_equal(p.counters, 0xf);
}

static void one_counter_has_one_event(void **state)
{
	static struct sim_cpu cpu;
	struct oprofile_pmu p = pmu_of(&cpu, &configs[0]);
	struct oprofile_pmu_event e = event_for(&configs[0], 1);

	(void)state;
	oprofile_pmu_save(&p, ~0ULL);
	assert_null(oprofile_pmu_add(&p, &e, 0));
	assert_non_null(oprofile_pmu_add(&p, &e, 1));
	e.group = 1;
	assert_null(oprofile_pmu_add(&p, &e, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_overflow_is_one_sample),
		cmocka_unit_test(nmis_from_outside_pass),
		cmocka_unit_test(no_count_is_a_storm),
		cmocka_unit_test(what_cannot_be_counted_is_refused),
		cmocka_unit_test(kinds_of_cores_differ),
		cmocka_unit_test(counters_that_only_look_like_it),
		cmocka_unit_test(half_of_perfmon_v2_is_none),
		cmocka_unit_test(one_counter_has_one_event),
		cmocka_unit_test(counters_of_others_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
