// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_fs.c -- tests small files: reading with limits, atomic replacement, and refusal of
 * symbolic links.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>

#include "libop/base/fs.h"

static void expect_text(int dir, const char *path, const char *text)
{
	size_t len;
	char *got;

	assert_int_equal(op_read_file(dir, path, 1000, &got, &len), 0);
	assert_int_equal(len, strlen(text));
	assert_string_equal(got, text);
	free(got);
}

static void test_replace_and_read(void **state)
{
	int dir = check_open_dir(state);
	size_t len = 42;
	char *got = NULL;

	assert_int_equal(op_replace_file(dir, "a", "one", 3, 0644), 0);
	expect_text(dir, "a", "one");
	assert_int_equal(op_replace_file(dir, "a", "", 0, 0644), 0);
	expect_text(dir, "a", "");
	assert_int_equal(op_replace_file(dir, "no/dir", "x", 1, 0644), -ENOENT);
	assert_int_equal(op_make_parents(dir, "d1/d2/file", 0755), 0);
	assert_int_equal(op_make_parents(dir, "d1/d2/file", 0755), 0);
	assert_int_equal(op_replace_file(dir, "d1/d2/file", "deep", 4, 0644), 0);
	expect_text(dir, "d1/d2/file", "deep");
	assert_int_equal(op_read_file(dir, "d1/d2/file", 3, &got, &len), -EFBIG);
	assert_int_equal(op_read_file(dir, "d1/d2", 3, &got, &len), -EINVAL);
	assert_int_equal(op_read_file(dir, "none", 3, &got, &len), -ENOENT);
	assert_null(got);
	assert_int_equal(len, 42);
	close(dir);
}

static void test_pid_files_are_parsed(void **state)
{
	static const struct { const char *text; pid_t pid; } files[] = {
		{ "1234\n", 1234 }, { "7", 7 }, { "", 0 }, { "x", 0 }, { "-3", 0 },
		{ "99999999999999999999", 0 },
	};
	int dir = check_open_dir(state);

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd;

		assert_int_equal(op_replace_file(dir, "pid", files[i].text, strlen(files[i].text),
						 0644), 0);
		fd = openat(dir, "pid", O_RDONLY);
		assert_true(fd >= 0);
		assert_int_equal(op_read_pid(fd), files[i].pid);
		close(fd);
	}
	close(dir);
}

static void test_paths_stay_below(void **state)
{
	int dir = check_open_dir(state);
	char *got;
	size_t len;

	assert_int_equal(op_make_parents(dir, "../x", 0755), -EINVAL);
	assert_int_equal(op_make_parents(dir, "/x", 0755), -EINVAL);
	assert_int_equal(op_make_parents(dir, "", 0755), -EINVAL);
	assert_int_equal(op_make_parents(dir, "a//b", 0755), 0 - EINVAL);
	assert_int_equal(op_read_file(dir, "..", 10, &got, &len), -EINVAL);
	assert_int_equal(op_read_file(dir, "/etc/passwd", 1 << 20, &got, &len), -EINVAL);
	close(dir);
}

static void test_links_and_fifos_are_refused(void **state)
{
	int dir = check_open_dir(state);
	char *got;
	size_t len;

	assert_int_equal(op_replace_file(dir, "target", "safe", 4, 0644), 0);
	assert_int_equal(symlinkat("target", dir, "link"), 0);
	assert_int_equal(symlinkat("target", dir, "f.tmp"), 0);
	assert_int_equal(symlinkat(".", dir, "dirlink"), 0);
	assert_int_equal(mkfifoat(dir, "fifo", 0600), 0);
	assert_int_equal(op_read_file(dir, "link", 10, &got, &len), -ELOOP);
	assert_int_equal(op_read_file(dir, "dirlink/target", 10, &got, &len), -ENOTDIR);
	assert_int_equal(op_make_parents(dir, "dirlink/x/y", 0755), -ENOTDIR);
	assert_int_equal(op_read_file(dir, "fifo", 10, &got, &len), -EINVAL);
	assert_int_equal(op_replace_file(dir, "f", "new", 3, 0644), 0);
	expect_text(dir, "target", "safe");
	expect_text(dir, "f", "new");
	close(dir);
}

static void test_failed_write_keeps_old_file(void **state)
{
	struct rlimit old, small = { .rlim_cur = 4096 };
	static char big[10000];
	int dir = check_open_dir(state);
	struct stat st;

	assert_int_equal(op_replace_file(dir, "a", "old", 3, 0644), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(op_replace_file(dir, "a", big, sizeof(big), 0644), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	expect_text(dir, "a", "old");
	assert_int_equal(fstatat(dir, "a.tmp", &st, 0), -1);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_replace_and_read),
		test_in_dir(test_pid_files_are_parsed),
		test_in_dir(test_paths_stay_below),
		test_in_dir(test_links_and_fifos_are_refused),
		test_in_dir(test_failed_write_keeps_old_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
