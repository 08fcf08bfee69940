// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_frequency.c -- tests the conversion of --frequency=HZ to a timer event.
 */
#include "config.h"
#include "utils/shared/command_line.h"

#include "tests/unit/check.h"

static void test_frequencies_are_converted_to_events(void **state)
{
	static const struct { const char *text, *event; } good[] = {
		{ "4000", "TIMER:4000Hz" }, { "10", "TIMER:10Hz" }, { "20000", "TIMER:20000Hz" }, { "99.5", "TIMER:99.5Hz" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct op_reason error = { "" };
		char *event;

		if (ctl_event_of_frequency(&event, good[i].text, &error))
			fail_msg("%s: %s", good[i].text, error.text);
		assert_string_equal(event, good[i].event);
		free(event);
	}
}

static void test_invalid_frequencies_are_refused(void **state)
{
	static const char *const bad[] = { "", "x", "-1", "4kHz", "0", "9", "20001", "1e3", "1.2.3" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct op_reason error = { "" };
		char *event = NULL;

		assert_int_not_equal(ctl_event_of_frequency(&event, bad[i], &error), 0);
		assert_null(event);
		assert_memory_equal(error.text, "option \"--frequency\": ", 22);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frequencies_are_converted_to_events),
		cmocka_unit_test(test_invalid_frequencies_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
