// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_about.c -- tests writing and reading a session's description. */
#include "config.h"
#include "libop/session/about.h"

#include <errno.h>
#include <sys/stat.h>

#include "tests/unit/check.h"

static void test_description_is_read_as_written(void **state)
{
	const struct op_session_about about = {
		.begun = 1700000000, .ended = 1700000100, .sampled_ms = 60500, .host = "h", .kernel = "6.1.0-1", .command = "sh -c\nx  y",
		.limits = "user code only", .daemon = "/usr/sbin/oprofiled", .reader = "/usr/libexec/oprofile/opsymbols",
		.packer = "/usr/libexec/oprofile/opintervals",
	};
	struct op_session_about read;
	int dir = check_open_dir(state);

	assert_int_equal(op_session_about_read(&read, dir), -ENOENT);
	assert_int_equal(op_session_about_write(&about, dir), 0);
	assert_int_equal(op_session_about_read(&read, dir), 0);
	assert_int_equal(read.begun, about.begun);
	assert_int_equal(read.ended, about.ended);
	assert_int_equal(read.sampled_ms, 60500);
	assert_string_equal(read.host, "h");
	assert_string_equal(read.kernel, "6.1.0-1");
	assert_string_equal(read.command, "sh -c x  y");
	assert_string_equal(read.limits, "user code only");
	assert_string_equal(read.daemon, about.daemon);
	assert_string_equal(read.reader, about.reader);
	assert_string_equal(read.packer, about.packer);
	/* If a member's value is unknown, the member is not written and its old value is removed
	 * from the file. */
	assert_int_equal(op_session_about_write(&(struct op_session_about){ .begun = 5 }, dir), 0);
	assert_int_equal(op_session_about_read(&read, dir), 0);
	assert_int_equal(read.begun, 5);
	assert_int_equal(read.ended, 0);
	assert_string_equal(read.command, "");
	close(dir);
}

static void test_invalid_lines_are_ignored(void **state)
{
	static const char text[] = "begun 12x\nended -3\n\nhost\nunknown value\ncommand  two blanks\nkernel ";
	struct op_session_about read;
	int dir = check_open_dir(state), fd;

	assert_int_equal(mkdirat(dir, "stats", 0755), 0);
	fd = openat(dir, "stats/about", O_WRONLY | O_CREAT, 0644);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	for (int i = 0; i < 3000; i++)
		assert_int_equal(write(fd, "k", 1), 1);
	close(fd);
	assert_int_equal(op_session_about_read(&read, dir), 0);
	assert_int_equal(read.begun, 0);
	assert_int_equal(read.ended, 0);
	assert_string_equal(read.host, "");
	assert_string_equal(read.command, " two blanks");
	assert_int_equal(strlen(read.kernel), sizeof(read.kernel) - 1);
	close(dir);
}

/* A path that is too long is not written, because the truncated path could name another program. */
static void test_long_path_is_not_written(void **state)
{
	char text[1100] = "daemon /";
	struct op_session_about read;
	int dir = check_open_dir(state), fd;

	memset(text + 8, 'd', sizeof(text) - 8);
	assert_int_equal(mkdirat(dir, "stats", 0755), 0);
	fd = openat(dir, "stats/about", O_WRONLY | O_CREAT, 0644);
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	close(fd);
	assert_int_equal(op_session_about_read(&read, dir), 0);
	assert_string_equal(read.daemon, "");
	close(dir);
}

static void test_commands_are_listed_once(void **state)
{
	struct op_session_about about = { 0 };
	char word[100];
	int dir = check_open_dir(state);

	op_session_about_add_command(&about, "make -j4");
	assert_string_equal(about.command, "make -j4");
	assert_int_equal(about.nr_commands, 1);
	op_session_about_add_command(&about, "-j4");
	op_session_about_add_command(&about, "-j4");
	op_session_about_add_command(&about, "make -j4");
	assert_string_equal(about.command, "make -j4; -j4; make -j4");
	assert_int_equal(op_session_about_write(&about, dir), 0);
	assert_int_equal(op_session_about_read(&about, dir), 0);
	assert_string_equal(about.command, "make -j4; -j4; make -j4");
	assert_int_equal(about.nr_commands, 4);
	for (int i = 0; i < 1000; i++) {
		snprintf(word, sizeof(word), "%0*d", i % 90 + 1, i);
		op_session_about_add_command(&about, word);
	}
	assert_int_equal(about.nr_commands, 1004);
	assert_true(strlen(about.command) > sizeof(about.command) - 100);
	assert_true(strlen(about.command) < sizeof(about.command));
	assert_string_equal(strrchr(about.command, ';'), "; ...");
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_description_is_read_as_written),
		test_in_dir(test_invalid_lines_are_ignored),
		test_in_dir(test_long_path_is_not_written),
		test_in_dir(test_commands_are_listed_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
