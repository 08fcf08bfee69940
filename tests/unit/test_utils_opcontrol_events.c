// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_opcontrol_events.c -- tests opcontrol's checks of events before the daemon starts.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "utils/opcontrol/events.h"

/* Check the events of @list, which are separated by blanks, for the CPU type @cpu. */
static int check(struct ctl_events *ret, const char *cpu, const char *list, struct op_reason *error)
{
	struct op_settings cfg;
	char *copy = strdup(list), *rest = copy, *word;
	int err;

	assert_int_equal(op_settings_init(&cfg, OP_FOR_OPCONTROL), 0);
	while ((word = strsep(&rest, " ")))
		assert_int_equal(op_settings_add_event(&cfg, word), 0);
	err = ctl_events_check(ret, &cfg, cpu, error);
	op_settings_release(&cfg);
	free(copy);
	return err;
}

static struct ctl_events expect_accepted(const char *cpu, const char *list)
{
	struct op_reason error = { "" };
	struct ctl_events events = { 0 };

	if (check(&events, cpu, list, &error))
		fail_msg("%s: %s", list, error.text);
	return events;
}

static void expect_refused(const char *cpu, const char *list, const char *why)
{
	struct op_reason error = { "" };
	struct ctl_events events = { 0 };

	assert_int_not_equal(check(&events, cpu, list, &error), 0);
	if (!strstr(error.text, why))
		fail_msg("'%s' is not in: %s", why, error.text);
}

static void test_event_kinds_select_source(void **state)
{
	struct ctl_events e;

	(void)state;
	e = expect_accepted("i386/skylake", "CPU_CLK_UNHALTED:100000:0:1:1 r1c2:5000");
	assert_true(e.plan.counters && !e.plan.timer && !e.plan.records && !*e.beyond_module.text && !*e.turns.text);
	ctl_events_release(&e);
	e = expect_accepted("i386/skylake", "TIMER:1000000 INST_RETIRED:100000");
	assert_true(e.plan.counters && e.plan.timer);
	assert_non_null(strstr(e.beyond_module.text, "TIMER and other events cannot be sampled together"));
	ctl_events_release(&e);
	e = expect_accepted("i386/skylake", "FRONTEND_RETIRED:10000:DSB_MISS");
	assert_string_equal(e.beyond_module.text,
			    "event FRONTEND_RETIRED needs a register that the kernel module does not set");
	ctl_events_release(&e);
	e = expect_accepted("x86-64/zen3", "IBS_FETCH_ALL:250000 IBS_OP_ALL:250000:cycles");
	assert_true(!e.plan.counters && e.plan.records);
	ctl_events_release(&e);
	e = expect_accepted("arm/armv8-ca57", "CPU_CYCLES:100000 INST_RETIRED:100000");
	assert_true(e.plan.counters && !*e.turns.text);
	ctl_events_release(&e);
}

static void test_wrong_events_are_reported(void **state)
{
	(void)state;
	expect_refused("i386/skylake", "CPU_CLK_UNHALTD:100000", "CPU_CLK_UNHALTED");
	expect_refused("i386/skylake", "CPU_CLK_UNHALTED:10", "below the minimum");
	expect_refused("i386/skylake", "CPU_CLK_UNHALTED", "NAME:COUNT");
	expect_refused("i386/skylake", "INST_RETIRED:100000:nosuch", "no unit mask nosuch");
	expect_refused("i386/skylake", "INST_RETIRED:100000 INST_RETIRED:200000", "twice");
	expect_refused("i386/skylake", "INST_RETIRED:100000:0:0:0", "neither the kernel nor user");
	expect_refused("timer", "CPU_CLK_UNHALTED:100000", "no event CPU_CLK_UNHALTED");
	/* Events derived from the same IBS record must have the same count. */
	expect_refused("x86-64/zen3", "IBS_OP_ALL:250000 IBS_OP_LOAD:300000", "the same count");
	expect_refused("x86-64/zen3", "IBS_OP_ALL:250000:cycles IBS_OP_LOAD:250000:dispatched_ops",
		       "same unit mask");
}

/*
 * If there are more events than counters, the events are accepted, and a message names the events
 * that share counters.
 */
static void test_shared_counters_are_reported(void **state)
{
	struct ctl_events e = expect_accepted("x86-64/family10",
					      "DATA_CACHE_ACCESSES:100000 DATA_CACHE_MISSES:100000 "
					      "CPU_CLK_UNHALTED:100000 RETIRED_INSTRUCTIONS:100000 "
					      "RETIRED_UOPS:100000");

	(void)state;
	assert_non_null(strstr(e.turns.text, "DATA_CACHE_ACCESSES"));
	assert_non_null(strstr(e.turns.text, "counters 0, 1, 2 and 3"));
	assert_non_null(strstr(e.turns.text, "for a part of the time"));
	ctl_events_release(&e);
}

static void test_no_event_means_timer(void **state)
{
	struct ctl_events e;
	struct op_reason error = { "" };
	struct op_settings cfg;

	(void)state;
	assert_int_equal(op_settings_init(&cfg, OP_FOR_OPCONTROL), 0);
	assert_int_equal(ctl_events_check(&e, &cfg, NULL, &error), 0);
	assert_true(e.plan.timer && !e.plan.counters);
	ctl_events_release(&e);
	assert_int_equal(op_settings_add_event(&cfg, "TIMER:500000"), 0);
	assert_int_equal(ctl_events_check(&e, &cfg, NULL, &error), 0);
	assert_true(e.plan.timer && !e.plan.counters);
	ctl_events_release(&e);
	op_settings_release(&cfg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_kinds_select_source),
		cmocka_unit_test(test_wrong_events_are_reported),
		cmocka_unit_test(test_shared_counters_are_reported),
		cmocka_unit_test(test_no_event_means_timer),
	};

	setenv("OPROFILE_EVENTS_DIR", EVENTS_DIR, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
