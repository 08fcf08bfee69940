// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_opprobe_event.c -- tests the conversion of CPU event names to the numbers that the
 * probe uses.
 */
#include "config.h"
#include "utils/opprobe/event.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "tests/unit/check.h"

static void test_events_of_probe_are_found(void **state)
{
	static const struct {
		const char *cpu, *text, *name;
		uint64_t period, config, config1;
	} events[] = {
		{ "x86-64/zen3", "RETIRED_INSTRUCTIONS:50000", "RETIRED_INSTRUCTIONS", 50000, 0xc0, 0 },
		{ "i386/skylake", "LLC_MISSES:6000:0x41", "LLC_MISSES:0x41", 6000, 0x412e, 0 },
		{ "i386/skylake", "r1c2:5000:0:1:1", "r1c2", 5000, 0x1c2, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct raw_probe_event event;
		struct op_reason error = { "" };

		if (probe_event_find(&event, events[i].text, events[i].cpu, "/nowhere", &error))
			fail_msg("%s: %s", events[i].text, error.text);
		assert_ptr_equal(event.kind, &raw_probe_counter);
		assert_string_equal(event.name, events[i].name);
		assert_int_equal(event.period, events[i].period);
		assert_int_equal(event.perf.type, PERF_TYPE_RAW);
		assert_int_equal(event.perf.config, events[i].config);
		assert_int_equal(event.perf.config1, events[i].config1);
	}
}

static void test_unknown_events_are_reported(void **state)
{
	static const struct { const char *text, *error; } wrong[] = {
		{ "RETIRED_INSTRUCTION:50000", "did you mean RETIRED_INSTRUCTIONS" },
		{ "RETIRED_INSTRUCTIONS", "NAME:COUNT" },
		{ "RETIRED_INSTRUCTIONS:1", "below the minimum" },
		{ "RETIRED_INSTRUCTIONS:50000:0:1:0", "in user mode" },
		{ "IBS_OP_ALL:250000", "cannot sample" },
	};
	struct raw_probe_event event;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct op_reason error = { "" };

		assert_true(probe_event_find(&event, wrong[i].text, "x86-64/zen3", "/nowhere", &error) < 0);
		if (!strstr(error.text, wrong[i].error))
			fail_msg("%s: %s", wrong[i].text, error.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_of_probe_are_found),
		cmocka_unit_test(test_unknown_events_are_reported),
	};

	setenv("OPROFILE_EVENTS_DIR", EVENTS_DIR, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
