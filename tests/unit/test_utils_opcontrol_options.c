// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_opcontrol_options.c -- tests opcontrol's command line: verbs exclude each other,
 * settings are validated and stored, and every message names its option.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "utils/shared/daemon.h"
#include "utils/opcontrol/options.h"

#define ARGS(...) ((char *[]){ (char *)"opcontrol", __VA_ARGS__, NULL })
#define A(s) ((char *)(s))

static int parse(struct ctl_request *req, char **argv, struct op_reason *error)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	memset(req, 0, sizeof(*req));
	return ctl_options_parse(req, argc, argv, error);
}

static void expect_refused(char **argv, const char *says)
{
	struct ctl_request req;
	struct op_reason error = { "" };

	assert_int_equal(parse(&req, argv, &error), -EINVAL);
	if (!strstr(error.text, says))
		fail_msg("\"%s\" does not contain \"%s\"", error.text, says);
	ctl_request_release(&req);
}

static void expect_accepted(char **argv, enum ctl_verb_id verb)
{
	struct ctl_request req;
	struct op_reason error = { "" };

	if (parse(&req, argv, &error))
		fail_msg("%s", error.text);
	assert_int_equal(req.verb, verb);
	ctl_request_release(&req);
}

/* Parse @argv, and store the parsed options in @cfg, which must be initialized. */
static int apply(struct op_settings *cfg, char **argv, const char *says)
{
	struct ctl_request req;
	struct op_reason error = { "" };
	int err;

	assert_int_equal(parse(&req, argv, &error), 0);
	err = ctl_options_apply(&req, cfg, &error);
	if (err && !strstr(error.text, says))
		fail_msg("\"%s\" does not contain \"%s\"", error.text, says);
	ctl_request_release(&req);
	return err;
}

static void test_verbs_are_parsed(void **state)
{
	(void)state;
	expect_accepted(ARGS(A("--start")), CTL_START);
	expect_accepted(ARGS(A("-s")), CTL_START);
	expect_accepted(ARGS(A("-h")), CTL_SHUTDOWN);
	expect_accepted(ARGS(A("--setup"), A("--start"), A("--separate=lib")), CTL_START);
	expect_accepted(ARGS(A("--start"), A("--setup"), A("--separate=lib")), CTL_START);
	expect_accepted(ARGS(A("--separate=lib")), CTL_VERB_NONE);
	expect_accepted(ARGS(A("--start"), A("--start")), CTL_START);
	expect_accepted(ARGS(A("--save=x")), CTL_SAVE);
	expect_accepted(ARGS(A("--dump"), A("--session-dir=/x")), CTL_DUMP);
	expect_accepted(ARGS(A("--start"), A("--verbose")), CTL_START);
	expect_accepted(ARGS(A("--start"), A("--verbose=samples")), CTL_START);
}

static void test_wrong_command_lines(void **state)
{
	(void)state;
	expect_refused(ARGS(NULL), "no option given");
	expect_refused(ARGS(A("--setup")), "no options specified for --setup");
	expect_refused(ARGS(A("--start"), A("--stop")), "--stop");
	expect_refused(ARGS(A("--nonsense")), "unknown option \"--nonsense\"");
	expect_refused(ARGS(A("--event")), "--event");
	expect_refused(ARGS(A("--dump"), A("--event=TIMER:1000000")),
		       "cannot be combined with \"--dump\"");
	expect_refused(ARGS(A("--dump"), A("--verbose")), "--verbose");
	expect_refused(ARGS(A("--start"), A("extra")), "extra");
	expect_refused(ARGS(A("--session-dir=")), "--session-dir");
}

static void test_options_change_settings(void **state)
{
	struct op_settings cfg;
	char *dir_option, *image_option;

	assert_true(asprintf(&dir_option, "--session-dir=%s/a b", (char *)*state) > 0);
	assert_true(asprintf(&image_option, "--image=%s,/proc/self/exe", (char *)*state) > 0);
	assert_int_equal(op_settings_init(&cfg, OP_FOR_OPCONTROL), 0);

	assert_int_equal(apply(&cfg, ARGS(dir_option, A("-e"), A("TIMER:200000"), A("-p"),
					  A("kernel,cpu"), A("--no-vmlinux"), A("--source=module"),
					  A("--buffer-size=1000"), A("--buffer-watershed"), A("10")),
			       ""),
			 0);
	assert_string_equal(cfg.session_dir, dir_option + strlen("--session-dir="));
	assert_int_equal(cfg.nr_events, 1);
	assert_string_equal(cfg.events[0], "TIMER:200000");
	assert_int_equal(cfg.separate, OP_SEPARATE_LIB | OP_SEPARATE_KERNEL | OP_SEPARATE_CPU);
	assert_string_equal(cfg.vmlinux, OP_NO_VMLINUX);
	assert_int_equal(cfg.buffer_size, 1000);
	assert_int_equal(cfg.buffer_watershed, 10);

	/* The first --event replaces all stored events, and --image resolves symbolic links in
	 * paths. */
	assert_int_equal(apply(&cfg, ARGS(A("-e"), A("default"), image_option, A("-p"), A("none")),
			       ""),
			 0);
	assert_int_equal(cfg.nr_events, 0);
	assert_int_equal(cfg.separate, 0);
	assert_non_null(strstr(cfg.image_filter, "test_utils_opcontrol_options"));
	assert_int_equal(apply(&cfg, ARGS(A("--image=all")), ""), 0);
	assert_null(cfg.image_filter);

	op_settings_release(&cfg);
	free(image_option);
	free(dir_option);
}

static void test_wrong_values_are_reported(void **state)
{
	struct op_settings cfg;

	(void)state;
	assert_int_equal(op_settings_init(&cfg, OP_FOR_OPCONTROL), 0);
	assert_true(apply(&cfg, ARGS(A("-e"), A("TIMER")), "TIMER"));
	assert_true(apply(&cfg, ARGS(A("-e"), A("TIMER:x")), "TIMER:x"));
	assert_true(apply(&cfg, ARGS(A("-e"), A(":100000")), "--event"));
	assert_true(apply(&cfg, ARGS(A("--separate=lib,foo")), "foo"));
	assert_true(apply(&cfg, ARGS(A("--image=bin/ls")), "bin/ls"));
	assert_true(apply(&cfg, ARGS(A("--image=/no/such/file")), "/no/such/file"));
	assert_true(apply(&cfg, ARGS(A("--vmlinux=/no/such/file")), "/no/such/file"));
	assert_true(apply(&cfg, ARGS(A("--source=foo")), "foo"));
	assert_true(apply(&cfg, ARGS(A("--buffer-size=-1")), "-1"));
	assert_true(apply(&cfg, ARGS(A("--buffer-size=1x")), "1x"));
	assert_true(apply(&cfg, ARGS(A("--buffer-size=10"), A("--buffer-watershed=10")),
			  "watershed"));
	assert_true(apply(&cfg, ARGS(A("--callgraph=1025")), "1025 is too large: the limit is 1024"));
	assert_true(apply(&cfg, ARGS(A("--callgraph=x")), "not a number"));
	op_settings_release(&cfg);
}

static void expect_arg(char **argv, const char *arg)
{
	for (; *argv; argv++) {
		if (!strcmp(*argv, arg))
			return;
	}
	fail_msg("no %s", arg);
}

static void test_settings_become_daemon_arguments(void **state)
{
	struct op_settings cfg;
	char **argv;

	(void)state;
	assert_int_equal(op_settings_init(&cfg, OP_FOR_OPCONTROL), 0);
	argv = ctl_daemon_argv("/x/oprofiled", &cfg, "perf", "a reason", NULL);
	assert_non_null(argv);
	assert_string_equal(argv[0], "/x/oprofiled");
	expect_arg(argv, "--session-dir=/var/lib/oprofile");
	expect_arg(argv, "--source=perf");
	expect_arg(argv, "--why=a reason");
	expect_arg(argv, "--events=TIMER:1000000");
	ctl_daemon_argv_free(argv);

	assert_int_equal(apply(&cfg, ARGS(A("-e"), A("A:1"), A("-e"), A("B:2"), A("-p"), A("all"),
					  A("--cpu-buffer-size=9"), A("--no-vmlinux")), ""), 0);
	argv = ctl_daemon_argv("/x/oprofiled", &cfg, "module", NULL, "samples");
	assert_non_null(argv);
	expect_arg(argv, "--events=A:1,B:2");
	expect_arg(argv, "--separate=lib,kernel,thread,cpu");
	expect_arg(argv, "--cpu-buffer-size=9");
	expect_arg(argv, "--buffer-size=131072");
	expect_arg(argv, "--buffer-watershed=32768");
	expect_arg(argv, "--no-vmlinux");
	expect_arg(argv, "--verbose=samples");
	ctl_daemon_argv_free(argv);
	op_settings_release(&cfg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verbs_are_parsed),
		cmocka_unit_test(test_wrong_command_lines),
		test_in_dir(test_options_change_settings),
		cmocka_unit_test(test_wrong_values_are_reported),
		cmocka_unit_test(test_settings_become_daemon_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
