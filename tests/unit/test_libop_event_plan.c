// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_event_plan.c -- tests the conversion of a list of events to a plan (the counters and
 * codes to program), or to an error message.
 */
#include "config.h"
#include "libop/event/plan.h"

#include "tests/unit/check.h"

/* Convert the events in @list, separated by blanks, to a plan for @cpu_type. */
static int make(struct op_event_plan *ret, const char *cpu_type, const char *list, struct op_reason *error)
{
	struct op_event_spec specs[8];
	char *copy = strdup(list), *rest = copy, *word;
	size_t nr = 0;
	int err;

	while ((word = strsep(&rest, " ")))
		assert_int_equal(op_event_parse(&specs[nr++], word, error), 0);
	err = op_event_plan_make(ret, specs, nr, cpu_type, error);
	while (nr)
		op_event_spec_release(&specs[--nr]);
	free(copy);
	return err;
}

static void test_event_lists_are_planned(void **state)
{
	static const struct {
		const char *cpu_type, *list, *cpu;
		bool timer, counters, records, software, waits;
	} plans[] = {
		{ NULL, "TIMER:4kHz", "timer", true, false, false, false, false },
		{ "i386/skylake", "TIMER:1ms", "i386/skylake", true, false, false, false, false },
		{ "i386/skylake", "CPU_CLK_UNHALTED:100000 r1c2:5000", "i386/skylake", false, true, false, false, false },
		{ "i386/skylake", "INST_RETIRED:100000 TIMER:1ms", "i386/skylake", true, true, false, false, false },
		{ "x86-64/zen3", "IBS_FETCH_ALL:250000 RETIRED_INSTRUCTIONS:100000", "x86-64/zen3", false, true, true, false, false },
		{ NULL, "page-faults:1", "timer", false, false, false, true, false },
		{ NULL, "cs:1 TIMER:1ms", "timer", true, false, false, true, false },
		{ "i386/skylake", "INST_RETIRED:100000 faults:2", "i386/skylake", false, true, false, true, false },
		{ NULL, "OFFCPU", "timer", false, false, false, false, true },
		{ NULL, "TIMER:1ms OFFCPU.lock:1ms", "timer", true, false, false, false, true },
		{ "i386/skylake", "INST_RETIRED:100000 offcpu:1ms:io", "i386/skylake", false, true, false, false, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		struct op_reason error = { "" };
		struct op_event_plan plan = { .nr = 0 };

		if (make(&plan, plans[i].cpu_type, plans[i].list, &error))
			fail_msg("%s: %s", plans[i].list, error.text);
		assert_string_equal(plan.cpu.cpu->name, plans[i].cpu);
		assert_int_equal(plan.nr, strchr(plans[i].list, ' ') ? 2 : 1);
		assert_int_equal(plan.timer, plans[i].timer);
		assert_int_equal(plan.counters, plans[i].counters);
		assert_int_equal(plan.records, plans[i].records);
		assert_int_equal(plan.software, plans[i].software);
		assert_int_equal(plan.waits, plans[i].waits);
		op_event_plan_release(&plan);
		assert_null(plan.table);
		op_event_plan_release(&plan);
	}
}

static void test_refused_list_keeps_plan(void **state)
{
	static const struct { const char *cpu_type, *list, *says; } wrong[] = {
		{ "i386/nosuch", "INST_RETIRED:100000", "unknown CPU type i386/nosuch" },
		{ "i386/skylake", "INST_RETIRD:100000", "INST_RETIRED" },
		{ "i386/skylake", "INST_RETIRED:1", "below the minimum" },
		{ "timer", "INST_RETIRED:100000", "no event INST_RETIRED" },
		{ NULL, "OFFCPU.io OFFCPU.lock:2ms", "need the same count, not 1000000 and 2000000" },
		{ NULL, "OFFCPU:1ms:lock:0", "does not take the fields KERNEL and USER" },
	};
	struct op_event_spec spec;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct op_reason error = { "" };
		struct op_event_plan plan = { .nr = 77 };

		assert_int_not_equal(make(&plan, wrong[i].cpu_type, wrong[i].list, &error), 0);
		if (!strstr(error.text, wrong[i].says))
			fail_msg("\"%s\" does not say %s", error.text, wrong[i].says);
		assert_int_equal(plan.nr, 77);
	}
	for (const char *const *text = (const char *const[]){ "", "X", "X:", "X:1:2:3", NULL }; *text; text++) {
		struct op_reason error = { "" };

		assert_int_not_equal(op_event_parse(&spec, *text, &error), 0);
		assert_non_null(strstr(error.text, "An event is written NAME:COUNT"));
		assert_non_null(strstr(error.text, "for instance TIMER:1ms;"));
	}
	for (const char *const *text = (const char *const[]){ "page-faults", "sched:sched_switch", NULL }; *text; text++) {
		struct op_reason error = { "" };
		char example[100];

		snprintf(example, sizeof(example), "for instance %s:1;", *text);
		assert_int_not_equal(op_event_parse(&spec, *text, &error), 0);
		assert_non_null(strstr(error.text, example));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_lists_are_planned),
		cmocka_unit_test(test_refused_list_keeps_plan),
	};

	setenv("OPROFILE_EVENTS_DIR", EVENTS_DIR, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
