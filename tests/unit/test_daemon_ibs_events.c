// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_ibs_events.c -- tests the table of derived IBS events, which has a row for each event
 * of the CPUs' tables, and the daemon's interface to CPU features. tests/tools/ibs.test compares
 * the table with an independent computation.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "daemon/options.h"
#include "daemon/source/events.h"
#include "daemon/source/ext.h"
#include "daemon/source/ibs_events.h"
#include "libop/event/file.h"
#include "module/uapi/oprofile.h"

static void test_every_event_has_a_row(void **state)
{
	static const char *const folders[] = { "x86-64/common-ibs", "x86-64/common-ibs-memory" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct op_event_table *table = NULL;
		struct op_reason error = { "" };

		if (op_event_file_load_folder(&table, op_cpu_by_name("x86-64/generic"), folders[i],
					      EVENTS_DIR, &error))
			fail_msg("%s", error.text);
		for (size_t j = 0; j < table->nr_events; j++)
			if (!opd_ibs_event_find(table->events[j]->code))
				fail_msg("%s (0x%x) has no row", table->events[j]->name,
					 table->events[j]->code);
		op_event_table_free(table);
	}
	assert_null(opd_ibs_event_find(0xc0));
}

static uint32_t count(uint32_t code, const uint64_t *regs)
{
	return opd_ibs_event_count(opd_ibs_event_find(code), regs);
}

/* Some derived events that the manual describes; ibs.test checks the others. */
static void test_derived_event_conditions(void **state)
{
	uint64_t fetch[OPD_IBS_NR_FETCH] = { 0 }, op[OPD_IBS_NR_OP] = { 0 };

	(void)state;
	assert_int_equal(count(0xf000, fetch), 1);	/* all fetches */
	/* a fetch that was killed; all bits are clear */
	assert_int_equal(count(0xf001, fetch), 1);
	fetch[OPD_IBS_FETCH_CTL] = 1ull << 50 | 777ull << 32;
	assert_int_equal(count(0xf001, fetch), 0);
	assert_int_equal(count(0xf003, fetch), 1);	/* a completed fetch */
	assert_int_equal(count(0xf00e, fetch), 777);	/* the cycles of the fetch */

	/* the operation had no access to the cache, so it is neither a hit nor a miss */
	assert_int_equal(count(0xf207, op), 0);
	op[OPD_IBS_OP_DATA3] = 1;
	assert_int_equal(count(0xf207, op), 1);
	op[OPD_IBS_OP_DATA3] |= 1 << 7 | 99ull << 32;
	op[OPD_IBS_OP_DATA2] = 3 | 1 << 4;
	assert_int_equal(count(0xf207, op), 0);
	/* the data came from the memory of another node */
	assert_int_equal(count(0xf246, op), 1);
	assert_int_equal(count(0xf245, op), 0);
	assert_int_equal(count(0xf24c, op), 99);
}

static void test_derived_events_are_counted(void **state)
{
	char *argv[] = { (char *)"oprofiled", (char *)"--cpu-type=x86-64/zen4", (char *)"--events="
		"TIMER:1000000,IBS_OP_ALL:250000,IBS_OP_STORE:250000,IBS_OP_TAG_TO_RETIRE:250000", NULL };
	unsigned long words[13] = { 0x40, 0, 0, 55ul << 16 | 5, 0, 0, 0, 1 << 1, 0, 0, 0, 0, 0 };
	struct opd_sample samples[OPD_MAX_EVENTS];
	struct opd_config cfg;
	struct opd_ext *ext;
	struct op_reason error = { "" };

	(void)state;
	setenv("OPROFILE_EVENTS_DIR", EVENTS_DIR, 1);
	assert_int_equal(opd_config_parse(&cfg, 3, argv, stdout, stderr), OPD_PARSE_RUN);
	if (opd_events_resolve(&cfg, &error))
		fail_msg("%s", error.text);
	assert_int_equal(opd_ext_create(&ext, &cfg), 0);
	assert_non_null(ext);
	assert_int_equal(opd_ext_derive(ext, OPROFILE_IBS_OP, words, samples), 3);
	assert_int_equal(samples[0].event, 1);
	assert_int_equal(samples[0].count, 1);
	assert_int_equal(samples[1].event, 2);
	assert_int_equal(samples[2].event, 3);
	assert_int_equal(samples[2].count, 55);
	/* Fetches are not counted, because the session has not requested them. */
	assert_int_equal(opd_ext_derive(ext, OPROFILE_IBS_FETCH, words, samples), -1);
	opd_ext_destroy(ext);
	opd_config_release(&cfg);
}

static void test_ibs_options_are_converted(void **state)
{
	static const char *const wrong[] = {
		"", "ibs", "ibs:", "ibs:op", "ibs:op:", "ibs:op:IBS_FETCH_ALL:1:0", "ibs:fetch:,:1:0",
		"ibs:fetch:IBS_FETCH_ALL", "spu:x", "ibs:op:IBS_OP_ALL:1:0|nothing",
	};
	char *list = NULL;

	(void)state;
	assert_int_equal(opd_ext_events(&list, "ibs:fetch:IBS_FETCH_ALL,IBS_FETCH_LATENCY:50000:0|"
					"op:IBS_OP_ALL:60000:1"), 0);
	assert_string_equal(list, "IBS_FETCH_ALL:50000:0,IBS_FETCH_LATENCY:50000:0,IBS_OP_ALL:60000:1");
	free(list);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(opd_ext_events(&list, wrong[i]), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event_has_a_row),
		cmocka_unit_test(test_derived_event_conditions),
		cmocka_unit_test(test_derived_events_are_counted),
		cmocka_unit_test(test_ibs_options_are_converted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
