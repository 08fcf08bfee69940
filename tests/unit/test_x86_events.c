// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_x86_events.c -- tests how the module's code for x86 counters (module/x86/) detects CPUs and
 * checks events, before it counts any. Uses simulated CPUs (tests/sim/).
 */
#include "config.h"

#include "unit/check.h"

#include "sim/run.h"

static struct oprofile_pmu detect_pmu(struct sim_cpu *cpu, const struct sim_config *config)
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

static const char *refusal_text(const struct oprofile_pmu *pmu, struct oprofile_pmu_event e)
{
	const char *why;

	e.period = e.period ?: 1000;
	e.kernel = e.user = true;
	why = oprofile_pmu_refuse(pmu, &e, pmu->counters);
	return why ?: "";
}

static void unsupported_events_are_refused(void **state)
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
	struct oprofile_pmu p = detect_pmu(&cpu, &amd);

#define REFUSED(text, ...) \
	assert_non_null(strstr(refusal_text(&p, (struct oprofile_pmu_event){ __VA_ARGS__ }), text))
#define TAKEN(...) \
	assert_string_equal(refusal_text(&p, (struct oprofile_pmu_event){ __VA_ARGS__ }), "")
	(void)state;
	TAKEN(.code = 0xfff, .unit_mask = 0xff, .extra = 0xff840000, .counter = 5);
	REFUSED("no such counter", .code = 0x76, .counter = 6);
	REFUSED("no such counter", .code = 0x76, .counter = 32);
	REFUSED("no such counter", .code = 0x76, .counter = 255);
	REFUSED("12 bits", .code = 0x1000);
	REFUSED("two counters", .code = 3, .unit_mask = 0xff);
	TAKEN(.code = 0x103, .unit_mask = 0xff);
	REFUSED("8 bits", .code = 0x76, .unit_mask = 0x100);
	REFUSED("event-select register", .code = 0x76, .extra = 1 << 21);
	TAKEN(.code = 0x76, .period = (1ULL << 47) - 1);
	REFUSED("more than the counter holds", .code = 0x76, .period = 1ULL << 47);

	p = detect_pmu(&cpu, &narrow);
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

	p = detect_pmu(&cpu, &wide);
	TAKEN(.code = 0xc0, .period = (1ULL << 47) - 1);
	TAKEN(.code = 0, .unit_mask = 4, .counter = 35);
	REFUSED("event-select register", .code = 0xc0, .extra = 1 << 21);
}

/* An event of a hybrid CPU can have a different code on each kind of core. */
static void core_kinds_have_own_event_codes(void **state)
{
	static const struct sim_config fast = {
		.vendor = SIM_INTEL, .version = 5, .general = 8, .fixed = 0xf, .bits = 48,
		.full_width = true, .core_type = 0x40,
	}, slow = {
		.vendor = SIM_INTEL, .version = 5, .general = 6, .fixed = 7, .bits = 48,
		.full_width = true, .core_type = 0x20, .no_events = 1 << 7,
	};
	static struct sim_cpu cpu;
	struct oprofile_pmu p = detect_pmu(&cpu, &fast);

	(void)state;
	assert_int_equal(p.core_type, 0x40);
	TAKEN(.code = 0xc0, .counter = 7);
	TAKEN(.code = 0xa4, .unit_mask = 1);
	p = detect_pmu(&cpu, &slow);
	assert_int_equal(p.core_type, 0x20);
	REFUSED("no such counter", .code = 0xc0, .counter = 7);
	REFUSED("kind of core", .code = 0xa4, .unit_mask = 1);
	TAKEN(.code = 0xa4, .unit_mask = 2);
	TAKEN(.code = 0xd1, .unit_mask = 1, .core_type = 0x20);
	TAKEN(.code = 0xd1, .unit_mask = 1);
	REFUSED("another meaning", .code = 0xd1, .unit_mask = 1, .core_type = 0x40);
	TAKEN(.code = 0x2e, .unit_mask = 0x41, .core_type = 0x40);
	TAKEN(.code = 0, .unit_mask = 2, .counter = 33, .core_type = 0x40);
}

/* Check that each counter counts an event at the rate at which the event occurs. */
static void check_rate(const struct sim_config *config, const struct oprofile_pmu_event *e)
{
	static struct sim_run run;
	u64 counted, happened = 1000ULL * sim_event_rate(config, e->code, e->unit_mask);
	u32 i;

	sim_run_begin(&run, config, 0, 0, 1);
	oprofile_pmu_save(&run.pmu, ~0ULL);
	if (oprofile_pmu_add(&run.pmu, e, 0))
		return;
	run.period[0] = e->period;
	oprofile_pmu_start(&run.pmu, 0);
	run.cpu.counted[e->counter] = 0;
	for (i = 0; i < 64 * 1000; i++)
		sim_tick(&run.cpu);
	counted = run.cpu.counted[e->counter];
	oprofile_pmu_stop(&run.pmu);
	if (!config->perf && (counted > happened * 11 / 10 || counted < happened * 9 / 10))
		fail_msg("%s: event %x/%x on counter %u: %llu counted, %llu happened", config->name, e->code,
			 e->unit_mask, e->counter, counted, happened);
}

static void event_counts_equally_on_each_counter(void **state)
{
	static const struct { u32 code, unit_mask; } events[] = {
		{ 0x003, 0xff }, { 0x76, 0 }, { 0xc0, 0 }, { 0x3c, 0 }, { 0x3c, 1 }, { 0xa4, 1 },
	};
	u32 i, j, counter;

	(void)state;
	for (i = 0; i < sim_nr_configs; i++) {
		for (j = 0; j < sizeof(events) / sizeof(*events); j++) {
			for (counter = 0; counter < OPROFILE_PMU_FIXED + 8; counter++)
				check_rate(&sim_configs[i], &(struct oprofile_pmu_event){
					.period = 1000000, .counter = counter, .kernel = true, .user = true,
					.code = events[j].code, .unit_mask = events[j].unit_mask });
		}
	}
}

static void begin_core(struct sim_run *run, const struct sim_config *config)
{
	/*
	 * The code 0xd1 means a different event on each kind of core; the code 0xc0 means the same
	 * event on both.
	 */
	static const struct oprofile_pmu_event events[] = {
		{ .code = 0xd1, .unit_mask = 1, .core_type = 0x40, .counter = 0 },
		{ .code = 0xd1, .unit_mask = 1, .core_type = 0x20, .counter = 1 },
		{ .code = 0xc0, .core_type = 0x40, .counter = 2 },
	};
	u32 i;

	sim_run_begin(run, config, 0, 0, config->core_type);
	oprofile_pmu_save(&run->pmu, ~0ULL);
	for (i = 0; i < 3; i++) {
		struct oprofile_pmu_event e = events[i];

		e.period = run->period[i] = 500;
		e.kernel = e.user = true;
		oprofile_pmu_add(&run->pmu, &e, i);
	}
	oprofile_pmu_start(&run->pmu, 0);
}

static void check_core(const struct sim_run *run)
{
	u32 i;

	assert_string_equal(run->cpu.complaint, "");
	assert_true((run->samples[0] > 0) == (run->cpu.config->core_type == 0x40));
	assert_true((run->samples[1] > 0) == (run->cpu.config->core_type == 0x20));
	assert_true(run->samples[2] > 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(run->samples[i], run->cpu.overflows[i]);
}

static void core_kinds_count_independently(void **state)
{
	static const struct sim_config configs[] = {
		{ .name = "performance", .vendor = SIM_INTEL, .version = 5, .general = 8, .fixed = 0xf, .bits = 48,
		  .full_width = true, .masks = true, .freezes = true, .latest = 30, .core_type = 0x40 },
		{ .name = "efficient", .vendor = SIM_INTEL, .version = 3, .general = 4, .fixed = 7, .bits = 40,
		  .masks = true, .latest = 300, .core_type = 0x20 },
	};
	static struct sim_run runs[2];
	u32 i;

	(void)state;
	for (i = 0; i < 2; i++)
		begin_core(&runs[i], &configs[i]);
	for (i = 0; i < 200000; i++) {
		struct sim_run *run = &runs[sim_random(&runs[0].cpu) >> 20 & 1];

		sim_use(&run->cpu);
		sim_tick(&run->cpu);
	}
	for (i = 0; i < 2; i++) {
		sim_use(&runs[i].cpu);
		sim_settle(&runs[i].cpu);
		oprofile_pmu_stop(&runs[i].pmu);
		check_core(&runs[i]);
	}
}

/*
 * If a hypervisor's counters cannot be written, lose their values or do not count, they are
 * detected and refused.
 */
static void broken_virtual_counters_are_refused(void **state)
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
		struct oprofile_pmu p = detect_pmu(&cpu, &cases[i].config);
		const char *why = oprofile_pmu_try(&p, ~0ULL);

		if (!why || !strstr(why, cases[i].text))
			fail_msg("%u: %s", i, why ?: "all is well");
		assert_string_equal(cpu.complaint, "");
	}
}

/*
 * If a hypervisor announces AMD's global control but lacks its registers, the driver does not use
 * global control.
 */
static void incomplete_perfmon_v2_is_not_used(void **state)
{
	static const struct sim_config config = {
		.vendor = SIM_AMD, .family = 0x19, .v2 = true, .general = 4, .bits = 48,
	};
	static struct sim_cpu cpu;
	struct oprofile_pmu p = detect_pmu(&cpu, &config);

	(void)state;
	assert_string_equal(p.name, "x86-64/amd");
	assert_int_equal(p.counters, 0xf);
}

static void counter_has_one_event_per_group(void **state)
{
	static struct sim_cpu cpu;
	struct oprofile_pmu p = detect_pmu(&cpu, &sim_configs[0]);
	struct oprofile_pmu_event e = sim_event_for(&sim_configs[0], 1);

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
		cmocka_unit_test(unsupported_events_are_refused),
		cmocka_unit_test(core_kinds_have_own_event_codes),
		cmocka_unit_test(event_counts_equally_on_each_counter),
		cmocka_unit_test(core_kinds_count_independently),
		cmocka_unit_test(broken_virtual_counters_are_refused),
		cmocka_unit_test(incomplete_perfmon_v2_is_not_used),
		cmocka_unit_test(counter_has_one_event_per_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
