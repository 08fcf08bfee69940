// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_settings.c -- tests the table of settings, the validation of values of each type, and
 * that written values are read back unchanged.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "libop/settings.h"

static void check_row(const struct op_setting *row)
{
	const char *range = row->type == OP_SETTING_NUMBER && row->max ? strstr(row->help, "0 to ") : NULL;
	const struct op_setting *other;

	assert_true(row->name || row->variable);
	if (row->name)
		assert_non_null(row->help);
	assert_true(!row->name || row->arg || row->type == OP_SETTING_FLAG || row->type == OP_SETTING_OWN);
	assert_true((row->type == OP_SETTING_WORD || row->type == OP_SETTING_SEPARATE) == !!row->words);
	if (row->words && !strstr(row->help, row->words))
		fail_msg("the help of --%s does not tell its words", row->name);
	if (range)
		assert_int_equal(strtoul(range + strlen("0 to "), NULL, 10), row->max);
	assert_true(row->type != OP_SETTING_OWN || (!row->variable && !row->status));
	for (other = op_setting_table; other < row; other++) {
		if (!(other->whose & row->whose))
			continue;
		if (row->name && other->name && !strcmp(row->name, other->name))
			fail_msg("--%s is there twice", row->name);
		if (row->letter && row->letter == other->letter)
			fail_msg("-%c is there twice", row->letter);
		if (row->variable && other->variable && !strcmp(row->variable, other->variable))
			fail_msg("%s is there twice", row->variable);
	}
}

static void test_setting_table_is_consistent(void **state)
{
	const struct op_setting *row;
	struct op_settings s;

	(void)state;
	for (row = op_setting_table; row->type; row++)
		check_row(row);
	assert_int_equal(op_settings_init(&s, OP_FOR_DAEMON), 0);
	assert_int_equal(s.max_files, 200000);
	assert_int_equal(s.separate, 0);
	assert_string_equal(s.oprofilefs, "/dev/oprofile");
	op_settings_release(&s);
	assert_int_equal(op_settings_init(&s, OP_FOR_OPCONTROL), 0);
	assert_int_equal(s.separate, OP_SEPARATE_LIB | OP_SEPARATE_KERNEL);
	assert_null(s.symbols);
	op_settings_release(&s);
	assert_null(op_setting_by_name("max-files", OP_FOR_OPCONTROL));
	assert_null(op_setting_by_name("nonsense", OP_FOR_OPCONTROL | OP_FOR_DAEMON));
}

/*
 * Check that the value @text of an option is written to daemonrc as @written, and is read back from
 * daemonrc unchanged.
 */
static void expect_round_trip(const char *name, const char *text, const char *written)
{
	const struct op_setting *row = op_setting_by_name(name, OP_FOR_OPCONTROL | OP_FOR_DAEMON);
	struct op_reason error = { "" };
	struct op_settings s;
	char *back = NULL;

	assert_non_null(row);
	assert_int_equal(op_settings_init(&s, OP_FOR_OPCONTROL), 0);
	if (op_setting_parse(row, &s, text, &error))
		fail_msg("--%s=%s: %s", name, text, error.text);
	assert_int_equal(op_setting_text(&back, row, &s), 0);
	op_settings_release(&s);

	if (!written) {
		assert_null(back);
		return;
	}
	assert_string_equal(back, written);
	assert_int_equal(op_settings_init(&s, OP_FOR_OPCONTROL), 0);
	assert_int_equal(op_setting_restore(row, &s, back), 0);
	free(back);
	assert_int_equal(op_setting_text(&back, row, &s), 0);
	assert_string_equal(back, written);
	op_settings_release(&s);
	free(back);
}

static void test_values_are_read_as_written(void **state)
{
	(void)state;
	expect_round_trip("jitter", "16", "16");
	expect_round_trip("jitter", "010", "10");
	expect_round_trip("jitter", "0", NULL);
	expect_round_trip("separate", "kernel", "lib,kernel");
	expect_round_trip("separate", "library,thread", "lib,thread");
	expect_round_trip("separate", "cpu,all", "lib,kernel,thread,cpu");
	expect_round_trip("separate", "unit", "lib,kernel,unit");
	expect_round_trip("separate", "none", NULL);
	expect_round_trip("backend", "native", "native");
	expect_round_trip("symbols", "64M", "64M");
	expect_round_trip("cache-size", "1G", "1G");
	expect_round_trip("max-memory", "48M", "48M");
	expect_round_trip("cpus", "0-3,8", "0-3,8");
	expect_round_trip("cpus", "auto", "auto");
	expect_round_trip("session-dir", "/a b", "/a b");
	expect_round_trip("command", "", "");
}

static void refused(const char *name, const char *text, const char *says)
{
	const struct op_setting *row = op_setting_by_name(name, OP_FOR_OPCONTROL | OP_FOR_DAEMON);
	struct op_reason error = { "" };
	struct op_settings s = { .separate = OP_SEPARATE_CPU, .jitter = 3 };

	assert_int_equal(op_setting_parse(row, &s, text, &error), -EINVAL);
	if (!strstr(error.text, says))
		fail_msg("\"%s\" does not contain \"%s\"", error.text, says);
	/* Refusing an invalid value leaves the earlier settings unchanged. */
	assert_int_equal(s.separate, OP_SEPARATE_CPU);
	assert_int_equal(s.jitter, 3);
	op_settings_release(&s);
}

static void test_wrong_values_are_reported(void **state)
{
	(void)state;
	refused("jitter", "17", "17 is too large: the limit is 16");
	refused("jitter", "-1", "\"-1\" is not a number from 0 to 16");
	refused("jitter", "", "not a number");
	refused("jitter", "1k", "not a number");
	refused("jitter", "99999999999999999999999", "not a number");
	refused("separate", "lib,threads", "did you mean thread");
	refused("separate", "", "use one of none, lib");
	refused("backend", "nativ", "use one of auto, native, perf, timer");
	refused("backend", "auto, native", "use one of");
	refused("symbols", "64Q", "64Q");
	refused("cpus", "some", "neither a list of CPUs");
	refused("cpus", "", "neither");
	refused("session-dir", "", "a path is missing");
	refused("vmlinux", "/no/such", "No such file");
	refused("group", "no-such-group-here", "unknown group \"no-such-group-here\"");
	refused("event", "TIMER:1ms", "");
}

/* A group or vmlinux that no longer exists is accepted if it is read from daemonrc. */
static void test_missing_group_is_accepted_from_daemonrc(void **state)
{
	struct op_settings s;

	(void)state;
	assert_int_equal(op_settings_init(&s, OP_FOR_OPCONTROL), 0);
	assert_int_equal(op_setting_restore(op_setting_by_name("group", OP_FOR_DAEMON), &s, "gone"), 0);
	assert_int_equal(op_setting_restore(op_setting_by_name("vmlinux", OP_FOR_DAEMON), &s, "/gone"), 0);
	assert_int_equal(op_setting_restore(op_setting_by_name("jitter", OP_FOR_DAEMON), &s, "17"), -EINVAL);
	assert_string_equal(s.group, "gone");
	assert_string_equal(s.vmlinux, "/gone");
	op_settings_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_setting_table_is_consistent),
		cmocka_unit_test(test_values_are_read_as_written),
		cmocka_unit_test(test_wrong_values_are_reported),
		cmocka_unit_test(test_missing_group_is_accepted_from_daemonrc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
