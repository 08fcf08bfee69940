// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_event_alias.c -- an event and its mask as one word, as others write it.
 */
#include "config.h"
#include "libop/event/alias.h"

#include "libop/event/choose.h"
#include "tests/unit/check.h"

static void test_aliases(void **state)
{
	static const struct { const char *name, *event, *um; } aliases[] = {
		{ "L2_RQSTS.DEMAND_DATA_RD_HIT", "L2_RQSTS", "demand_data_rd_hit" },
		{ "l2_rqsts.demand_data_rd_hit", "L2_RQSTS", "demand_data_rd_hit" },
		{ "L2_RQSTS_DEMAND_DATA_RD_HIT", "L2_RQSTS", "demand_data_rd_hit" },
		{ "l2_rqsts", "L2_RQSTS", NULL },
		{ "L2_RQSTS.", NULL, NULL },
		{ "L2_RQSTS.NOSUCH", NULL, NULL },
		{ "L2_RQST", NULL, NULL },
		{ "L2_RQSTSX", NULL, NULL },
		{ "", NULL, NULL },
	};
	struct op_event_table *table;
	struct op_reason why = { "" };

	(void)state;
	if (op_events_load(&table, op_cpu_by_name("i386/skylake"), EVENTS_DIR, &why))
		fail_msg("%s", why.text);
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		const struct op_um_value *um = NULL;
		const struct op_event *event = op_event_alias(table, aliases[i].name, &um);

		if (!event != !aliases[i].event || (event && strcmp(event->name, aliases[i].event)))
			fail_msg("%s: event %s", aliases[i].name, event ? event->name : "none");
		if (!event)
			continue;
		if (!um != !aliases[i].um || (um && strcasecmp(um->name, aliases[i].um)))
			fail_msg("%s: mask %s", aliases[i].name, um ? um->name : "none");
	}
	op_event_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aliases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
