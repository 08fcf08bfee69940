// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_session_settings.c -- tests the text form of a session's settings. */
#include "config.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/configuration.h"
#include "daemon/store/session_settings.h"

#define LONG_FILTER	2000

/* If the filters of two settings differ only after thousands of bytes, the settings are
 * different. */
static void long_filters_are_compared_completely(void **state)
{
	char filters[3][LONG_FILTER + 1];
	struct op_event_spec events[3];
	struct opd_config cfg = { .events = events, .nr_events = 3 };
	char *before, *after;

	(void)state;
	for (int i = 0; i < 3; i++) {
		memset(filters[i], 'x', LONG_FILTER);
		filters[i][LONG_FILTER] = '\0';
		events[i] = (struct op_event_spec){
			.name = (char *)"sched:sched_switch", .count = 1, .kernel = 1, .user = 1,
			.filter = filters[i],
		};
	}
	before = opd_settings_events(&cfg);
	filters[2][LONG_FILTER - 1] = 'y';
	after = opd_settings_events(&cfg);
	assert_non_null(before);
	assert_non_null(after);
	assert_true(strlen(before) > 3 * LONG_FILTER);
	assert_string_not_equal(before, after);
	assert_non_null(strstr(before, "sched:sched_switch:1:0:1:1/xx"));
	assert_non_null(strstr(before, "xx,sched:sched_switch:1:0:1:1/xx"));
	free(before);
	free(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_filters_are_compared_completely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
