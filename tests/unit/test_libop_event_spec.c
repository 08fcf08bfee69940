// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_event_spec.c -- tests the parser of --event.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "libop/base/error.h"
#include "libop/event/spec.h"

static void test_event_specs_are_parsed(void **state)
{
	struct op_event_spec s;

	(void)state;
	assert_int_equal(op_event_spec_parse(&s, "TIMER:1000000"), 0);
	assert_string_equal(s.name, "TIMER");
	assert_int_equal(s.count, 1000000);
	assert_int_equal(s.um, 0);
	assert_int_equal(s.kernel, 1);
	assert_int_equal(s.user, 1);
	op_event_spec_release(&s);
	assert_int_equal(op_event_spec_parse(&s, "CPU_CLK_UNHALTED:100000:0xfF:0:1"), 0);
	assert_int_equal(s.um, 0xff);
	assert_int_equal(s.kernel, 0);
	assert_int_equal(s.user, 1);
	op_event_spec_release(&s);
	assert_int_equal(op_event_spec_parse(&s, "X:2147483647:4294967295:1:0"), 0);
	assert_int_equal(s.count, 2147483647);
	assert_int_equal(s.um, UINT32_MAX);
	op_event_spec_release(&s);
}

static void test_units_of_the_timer(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "TIMER:1000000", 1000000 }, { "timer:1ms", 1000000 }, { "Timer:1MS:0:1:0", 1000000 },
		{ "TIMER:250us", 250000 }, { "TIMER:250\302\265s", 250000 }, { "TIMER:0.1s", 100000000 },
		{ "TIMER:.5ms", 500000 }, { "TIMER:2.ms", 2000000 }, { "TIMER:100000ns", 100000 },
		{ "TIMER:4kHz", 250000 }, { "TIMER:1000Hz", 1000000 }, { "TIMER:3khz", 333333 },
		{ "TIMER:20kHz", 50000 }, { "TIMER:10hz", 100000000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct op_event_spec s;
		int err = op_event_spec_parse(&s, good[i].text);

		if (err)
			fail_msg("%s: %s", good[i].text, op_strerror(err));
		assert_string_equal(s.name, "TIMER");
		assert_int_equal(s.count, good[i].ns);
		op_event_spec_release(&s);
	}
}

/* OFFCPU has the timer's units, and a count of 1ms if it has no other. */
static void test_waits_have_a_default_count(void **state)
{
	static const struct { const char *text, *name; uint64_t ns; const char *um; } good[] = {
		{ "OFFCPU", "OFFCPU", 1000000, NULL }, { "offcpu:100us", "offcpu", 100000, NULL },
		{ "OFFCPU.lock", "OFFCPU.lock", 1000000, NULL }, { "OFFCPU:2ms:io", "OFFCPU", 2000000, "io" },
	};
	struct op_event_spec s;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(op_event_spec_parse(&s, good[i].text), 0);
		assert_true(op_event_is_offcpu(s.name));
		assert_string_equal(s.name, good[i].name);
		assert_int_equal(s.count, good[i].ns);
		if (good[i].um)
			assert_string_equal(s.um_name, good[i].um);
		else
			assert_null(s.um_name);
		op_event_spec_release(&s);
	}
	assert_int_equal(op_event_spec_parse(&s, "OFFCPU:"), OP_ERR_EVENT_NO_COUNT);
	assert_int_equal(op_event_spec_parse(&s, "OFFCPU:10"), OP_ERR_TIMER_RANGE);
	assert_int_equal(op_event_spec_parse(&s, "OFFCPUS"), OP_ERR_EVENT_NO_COUNT);
	assert_false(op_event_is_offcpu("OFFCPUS:1"));
}

static void test_invalid_specs_are_refused(void **state)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{ "", OP_ERR_EVENT_NAME },
		{ ":1000000", OP_ERR_EVENT_NAME },
		{ "../x:1", OP_ERR_EVENT_NAME },
		{ "A,B:1", OP_ERR_EVENT_NAME },
		{ "A B:1", OP_ERR_EVENT_NAME },
		{ "A\n:1", OP_ERR_EVENT_NAME },
		{ "TIMER", OP_ERR_EVENT_NO_COUNT },
		{ "TIMER:", OP_ERR_EVENT_NO_COUNT },
		{ "X", OP_ERR_EVENT_NO_COUNT },
		{ "X::1", OP_ERR_EVENT_NO_COUNT },
		{ "X:1ms", OP_ERR_EVENT_TIME },
		{ "X:1mss", OP_ERR_EVENT_COUNT },
		{ "X:4kHz", OP_ERR_EVENT_TIME },
		{ "TIMER:0", OP_ERR_TIMER_RANGE },
		{ "TIMER:0Hz", OP_ERR_TIMER_RANGE },
		{ "TIMER:-1", OP_ERR_TIMER_PERIOD },
		{ "TIMER: 1000000", OP_ERR_TIMER_PERIOD },
		{ "TIMER:1000000x", OP_ERR_TIMER_PERIOD },
		{ "TIMER:ms", OP_ERR_TIMER_PERIOD },
		{ "TIMER:.ms", OP_ERR_TIMER_PERIOD },
		{ "TIMER:1.2.3ms", OP_ERR_TIMER_PERIOD },
		{ "TIMER:1 ms", OP_ERR_TIMER_PERIOD },
		{ "TIMER:1msec", OP_ERR_TIMER_PERIOD },
		{ "TIMER:49999", OP_ERR_TIMER_RANGE },
		{ "TIMER:100000001", OP_ERR_TIMER_RANGE },
		{ "TIMER:0.2s", OP_ERR_TIMER_RANGE },
		{ "TIMER:9.9Hz", OP_ERR_TIMER_RANGE },
		{ "TIMER:20.1kHz", OP_ERR_TIMER_RANGE },
		{ "TIMER:999999999999999s", OP_ERR_TIMER_RANGE },
		{ "TIMER:99999999999999999999999", OP_ERR_TIMER_PERIOD },
		{ "X:2147483648", OP_ERR_EVENT_COUNT },
		{ "X:18446744073709551617", OP_ERR_EVENT_COUNT },
		{ "X:1:", OP_ERR_EVENT_UM },
		{ "X:1:0x", OP_ERR_EVENT_UM },
		{ "X:1:4294967296", OP_ERR_EVENT_UM },
		{ "X:1:0:2", OP_ERR_EVENT_FLAG },
		{ "X:1:0:", OP_ERR_EVENT_FLAG },
		{ "X:1:0:1:yes", OP_ERR_EVENT_FLAG },
		{ "X:1:0:1:1:", OP_ERR_EVENT_FLAG },
	};
	struct op_event_spec s = { .um = 42 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (op_event_spec_parse(&s, bad[i].text) != bad[i].err)
			fail_msg("\"%s\" gives another result", bad[i].text);
		assert_int_equal(s.um, 42);
	}
}

static void test_named_unit_masks_are_parsed(void **state)
{
	static const char *const bad[] = {
		"X:1:", "X:1:0x", "X:1:4294967296", "X:1:-", "X:1:a b", "X:1:a/b", "X:1:0xg", "X:1:99x\n",
	};
	struct op_event_spec s = { .um = 42 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (op_event_spec_parse(&s, bad[i]) != OP_ERR_EVENT_UM)
			fail_msg("\"%s\" gives another result", bad[i]);
	}
	assert_int_equal(s.um, 42);

	assert_int_equal(op_event_spec_parse(&s, "X:1:256b_packed:0:1"), 0);
	assert_string_equal(s.um_name, "256b_packed");
	assert_int_equal(s.has_um, 1);
	assert_int_equal(s.um, 0);
	assert_int_equal(s.kernel, 0);
	op_event_spec_release(&s);

	assert_int_equal(op_event_spec_parse(&s, "X:1:0x1f"), 0);
	assert_null(s.um_name);
	assert_int_equal(s.has_um, 1);
	assert_int_equal(s.um, 0x1f);
	op_event_spec_release(&s);

	assert_int_equal(op_event_spec_parse(&s, "X:1"), 0);
	assert_int_equal(s.has_um, 0);
	op_event_spec_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_specs_are_parsed),
		cmocka_unit_test(test_units_of_the_timer),
		cmocka_unit_test(test_waits_have_a_default_count),
		cmocka_unit_test(test_invalid_specs_are_refused),
		cmocka_unit_test(test_named_unit_masks_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
