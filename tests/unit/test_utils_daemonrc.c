// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_daemonrc.c -- tests that reading the file daemonrc returns the settings that were
 * written, and that a file with invalid contents is refused.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "utils/shared/daemonrc.h"

static char *path_in(void **state, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", (char *)*state, name) > 0);
	return path;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Parse @text as the file daemonrc. @cfg must be initialized. */
static int read_text(void **state, struct op_settings *cfg, const char *text)
{
	struct op_reason error = { "" };
	char *path = path_in(state, "daemonrc");
	int err;

	write_file(path, text);
	err = ctl_settings_read(cfg, path, &error);
	if (err && err != -ENOENT)
		assert_non_null(strstr(error.text, path));
	free(path);
	return err;
}

static void test_missing_file_gives_defaults(void **state)
{
	struct op_settings cfg;
	struct op_reason error = { "" };
	char *path = path_in(state, "none");

	assert_int_equal(op_settings_init(&cfg, OP_FOR_OPCONTROL), 0);
	assert_int_equal(ctl_settings_read(&cfg, path, &error), -ENOENT);
	assert_string_equal(error.text, "");
	assert_string_equal(cfg.session_dir, "/var/lib/oprofile");
	op_settings_release(&cfg);
	free(path);
}

static void test_settings_are_read_as_written(void **state)
{
	static const char *const names[] = {
		"/var/lib/oprofile", "/a b", "/quote\"back\\slash", "/$HOME`id`;rm", "/tab\tnew\nline",
		"/#hash=equals", "/\xc3\xa9t\xc3\xa9", "/'single'",
	};
	struct op_settings cfg, back;
	struct op_reason error = { "" };
	char *path = path_in(state, "dir/daemonrc");
	struct stat st;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(op_settings_init(&cfg, OP_FOR_OPCONTROL), 0);
		free(cfg.session_dir);
		cfg.session_dir = strdup(names[i]);
		cfg.image_filter = strdup(names[i]);
		assert_int_equal(cfg.separate, OP_SEPARATE_LIB | OP_SEPARATE_KERNEL);
		cfg.separate = OP_SEPARATE_KERNEL | OP_SEPARATE_CPU;
		cfg.buffer_size = 123456;
		cfg.source = strdup("perf");
		assert_int_equal(op_settings_add_event(&cfg, "TIMER:100000"), 0);
		assert_int_equal(op_settings_add_event(&cfg, "OTHER:1:2:0:1"), 0);
		assert_int_equal(ctl_settings_write(&cfg, path, &error), 0);

		assert_int_equal(op_settings_init(&back, OP_FOR_OPCONTROL), 0);
		assert_int_equal(ctl_settings_read(&back, path, &error), 0);
		assert_string_equal(back.session_dir, names[i]);
		assert_string_equal(back.image_filter, names[i]);
		assert_int_equal(back.separate, OP_SEPARATE_KERNEL | OP_SEPARATE_CPU);
		assert_int_equal(back.buffer_size, 123456);
		assert_int_equal(ctl_settings_source(&back), CTL_SOURCE_PERF);
		assert_int_equal(back.nr_events, 2);
		assert_string_equal(back.events[1], "OTHER:1:2:0:1");
		assert_null(back.vmlinux);
		op_settings_release(&back);
		op_settings_release(&cfg);
	}
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	free(path);
}

/* A file that OProfile's original opcontrol wrote can be read. */
static void test_file_of_oprofile1_is_read(void **state)
{
	struct op_settings cfg;

	assert_int_equal(op_settings_init(&cfg, OP_FOR_OPCONTROL), 0);
	assert_int_equal(read_text(state, &cfg, "SESSION_DIR=/var/lib/oprofile\nNR_CHOSEN=1\n"
						"CHOSEN_EVENTS_0=CPU_CLK_UNHALTED:100000:0:1:1\n"
						"SEPARATE_LIB=1\nVMLINUX=none\nIMAGE_FILTER=\n"
						"CPU_BUF_SIZE=0\nXENIMAGE=none\n# comment\n\n"),
			 0);
	assert_int_equal(cfg.nr_events, 1);
	assert_int_equal(cfg.separate, OP_SEPARATE_LIB | OP_SEPARATE_KERNEL);
	assert_string_equal(cfg.vmlinux, OP_NO_VMLINUX);
	assert_null(cfg.image_filter);
	op_settings_release(&cfg);
}

static void test_invalid_files_are_refused(void **state)
{
	static const char *const bad[] = {
		"SESSION_DIR=\"/unterminated\n", "SESSION_DIR=\"/a\"b\n", "no equals\n", "=x\n",
		"BUF_SIZE=many\n", "BUF_SIZE=-1\n", "BUF_SIZE=99999999999999999999999\n",
		"SESSION_DIR=relative\n", "SOURCE=wrong\n", "SESSION_DIR=\"/x\\",
	};
	struct op_settings cfg;

	assert_int_equal(op_settings_init(&cfg, OP_FOR_OPCONTROL), 0);
	cfg.callgraph = 7;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(read_text(state, &cfg, bad[i]), -EINVAL);
		/* Refusing an invalid file leaves the settings in @cfg unchanged. */
		assert_int_equal(cfg.callgraph, 7);
		assert_string_equal(cfg.session_dir, "/var/lib/oprofile");
	}
	op_settings_release(&cfg);
}

static void test_failed_write_names_path(void **state)
{
	struct op_settings cfg;
	struct op_reason error = { "" };
	char *path = path_in(state, "missing/deeper/daemonrc");

	assert_int_equal(op_settings_init(&cfg, OP_FOR_OPCONTROL), 0);
	assert_int_equal(ctl_settings_write(&cfg, path, &error), -ENOENT);
	assert_non_null(strstr(error.text, path));
	op_settings_release(&cfg);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_missing_file_gives_defaults),
				test_in_dir(test_settings_are_read_as_written),
		test_in_dir(test_file_of_oprofile1_is_read),
				test_in_dir(test_invalid_files_are_refused),
		test_in_dir(test_failed_write_names_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
