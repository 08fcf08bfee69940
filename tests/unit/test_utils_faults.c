// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_faults.c -- failure injection: each allocation of opcontrol fails once. opcontrol then
 * returns -ENOMEM, leaks no memory (checked by ASan), and leaves the stored settings unchanged.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "tests/fault/fault.h"
#include "utils/opcontrol/events.h"
#include "utils/opcontrol/options.h"
#include "utils/shared/daemonrc.h"

static char path[300];

static void fail_each(int (*run)(struct op_reason *error))
{
	long n;
	int err;

	for (n = 1;; n++) {
		struct op_reason error = { "" };

		fault_arm(n, EIO);
		err = run(&error);
		if (!fault_disarm())
			break;
		if (err != -ENOMEM && err != -EIO)
			fail_msg("call %ld: %d, %s", n, err, error.text);
		assert_true(*op_reason_text(&error, err));
	}
	assert_int_equal(err, 0);
	assert_true(n > 3);
	print_message("%ld calls failed\n", n - 1);
}

static int options(struct op_reason *error)
{
	char *argv[] = {
		"opcontrol", "--setup", "--event=CPU_CLK_UNHALTED:100000", "--event=TIMER:1ms", "--separate=lib,kernel",
		"--image=/bin/sh", "--session-dir=/tmp", "--buffer-size=65536", NULL,
	};
	struct ctl_request req = { 0 };
	struct op_settings cfg;
	int err = op_settings_init(&cfg, OP_FOR_OPCONTROL);

	if (err)
		return err;
	err = ctl_options_parse(&req, 8, argv, error);
	if (!err)
		err = ctl_options_apply(&req, &cfg, error);
	if (!err) {
		assert_int_equal(cfg.nr_events, 2);
		assert_string_equal(cfg.session_dir, "/tmp");
	}
	ctl_request_release(&req);
	op_settings_release(&cfg);
	return err;
}

static int settings(struct op_reason *error)
{
	struct op_settings cfg, read;
	int err = op_settings_init(&cfg, OP_FOR_OPCONTROL);

	if (err)
		return err;
	err = op_settings_init(&read, OP_FOR_OPCONTROL);
	if (!err) {
		err = op_settings_add_event(&cfg, "TIMER:250us");
		if (!err)
			err = ctl_settings_write(&cfg, path, error);
		if (!err)
			err = ctl_settings_read(&read, path, error);
		assert_int_equal(read.nr_events, err ? 0 : 1);
		op_settings_release(&read);
	}
	op_settings_release(&cfg);
	return err;
}

static int events(struct op_reason *error)
{
	struct ctl_events events = { .plan.nr = 0 };
	struct op_settings cfg;
	int err = op_settings_init(&cfg, OP_FOR_OPCONTROL);

	if (err)
		return err;
	err = op_settings_add_event(&cfg, "CPU_CYCLES:100000");
	if (!err)
		err = op_settings_add_event(&cfg, "INST_RETIRED:100000");
	if (!err)
		err = ctl_events_check(&events, &cfg, "arm/armv8-ca57", error);
	ctl_events_release(&events);
	op_settings_release(&cfg);
	return err;
}

static void test_failing_calls_while_parsing_options(void **state)
{
	(void)state;
	fail_each(options);
}

static void test_failing_calls_while_writing_settings(void **state)
{
	snprintf(path, sizeof(path), "%s/daemonrc", (char *)*state);
	fail_each(settings);
}

static void test_failing_calls_while_checking_events(void **state)
{
	(void)state;
	fail_each(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failing_calls_while_parsing_options),
		test_in_dir(test_failing_calls_while_writing_settings),
		cmocka_unit_test(test_failing_calls_while_checking_events),
	};

	setenv("OPROFILE_EVENTS_DIR", EVENTS_DIR, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
