// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_cache_dir.c -- tests the location of a user's cache, its size limit, and which
 * directories are refused.
 */
#include "config.h"
#include "libop/base/cache_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/check.h"

static void expect_dir(const char *expected)
{
	char *dir = op_cache_dir();

	assert_string_equal(dir, expected);
	free(dir);
}

static void test_cache_directory_by_environment(void **state)
{
	(void)state;
	setenv("HOME", "/h", 1);
	unsetenv("XDG_CACHE_HOME");
	unsetenv(OP_CACHE_DIR_ENV);
	expect_dir(geteuid() == 0 ? OP_ROOT_CACHE_DIR : "/h/.cache/oprofile");
	setenv("XDG_CACHE_HOME", "relative", 1);
	expect_dir(geteuid() == 0 ? OP_ROOT_CACHE_DIR : "/h/.cache/oprofile");
	setenv("XDG_CACHE_HOME", "/x", 1);
	expect_dir("/x/oprofile");
	setenv(OP_CACHE_DIR_ENV, "/o", 1);
	expect_dir("/o");
}

/* Open the cache DIR/@name. Return 0 or a negative errno. */
static int open_dir(void **state, const char *name)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", (char *)*state, name);
	fd = op_cache_dir_open(path);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static void test_cache_directory_is_created_private(void **state)
{
	struct stat st;
	int dir = check_open_dir(state);

	assert_int_equal(open_dir(state, "home/oprofile"), 0);
	assert_int_equal(open_dir(state, "home/oprofile"), 0);
	assert_int_equal(fstatat(dir, "home/oprofile", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(open_dir(state, "home/missing/oprofile"), 0);
	assert_int_equal(open_dir(state, "home/deeply/missing/oprofile"), -ENOENT);
	assert_int_equal(open_dir(state, ""), -EINVAL);
	close(dir);
}

static void test_unsafe_cache_directory_is_refused(void **state)
{
	int dir = check_open_dir(state);

	assert_int_equal(mkdirat(dir, "open", 0777), 0);
	assert_int_equal(fchmodat(dir, "open", 0777, 0), 0);
	assert_int_equal(open_dir(state, "open"), -EPERM);
	assert_int_equal(symlinkat("open", dir, "link"), 0);
	assert_int_equal(open_dir(state, "link"), -ENOTDIR);
	close(dir);
}

/* Root does not use a cache that another user owns or could replace. */
static void test_of_another_user(void **state)
{
	int dir = check_open_dir(state);

	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdirat(dir, "theirs", 0700), 0);
	assert_int_equal(fchownat(dir, "theirs", 65534, 65534, 0), 0);
	assert_int_equal(open_dir(state, "theirs"), -EPERM);
	assert_int_equal(open_dir(state, "theirs/oprofile"), -EPERM);
	assert_int_equal(faccessat(dir, "theirs/oprofile", F_OK, 0), -1);
	close(dir);
}

static uint64_t limit_of(const char *text, int expected)
{
	uint64_t bytes = 0;

	if (text)
		setenv(OP_CACHE_SIZE_ENV, text, 1);
	else
		unsetenv(OP_CACHE_SIZE_ENV);
	assert_int_equal(op_cache_max_bytes(&bytes, NULL), expected);
	return bytes;
}

static void test_cache_limit_is_parsed(void **state)
{
	(void)state;
	assert_int_equal(limit_of(NULL, 0), OP_CACHE_BYTES);
	assert_int_equal(limit_of("", 0), OP_CACHE_BYTES);
	assert_int_equal(limit_of("64M", 0), 64 << 20);
	assert_int_equal(limit_of("1M", -ERANGE), OP_CACHE_BYTES);
	assert_int_equal(limit_of("much", -EINVAL), OP_CACHE_BYTES);
	unsetenv(OP_CACHE_SIZE_ENV);
}

/*
 * The stored size limit applies to all programs of the user, but the environment variable takes
 * precedence.
 */
static void test_cache_limit_is_stored_for_all_programs(void **state)
{
	char path[300];
	uint64_t bytes;

	snprintf(path, sizeof(path), "%s/limited", (char *)*state);
	assert_int_equal(op_cache_set_limit(NULL, "1G"), -ENOENT);
	assert_int_equal(op_cache_set_limit(path, "1G"), 0);
	assert_int_equal(op_cache_max_bytes(&bytes, path), 0);
	assert_int_equal(bytes, 1 << 30);
	setenv(OP_CACHE_SIZE_ENV, "64M", 1);
	assert_int_equal(op_cache_max_bytes(&bytes, path), 0);
	assert_int_equal(bytes, 64 << 20);
	unsetenv(OP_CACHE_SIZE_ENV);
	/* If the file that stores the limit is damaged, the file is ignored. */
	assert_int_equal(op_cache_set_limit(path, "much"), 0);
	assert_int_equal(op_cache_max_bytes(&bytes, path), 0);
	assert_int_equal(bytes, OP_CACHE_BYTES);
}

/* A directory of tables is refused if other users may write to it, as a cache would be. */
static void test_writable_table_directory_is_refused(void **state)
{
	int dir = check_open_dir(state), fd;
	char path[300];

	snprintf(path, sizeof(path), "%s/mine", (char *)*state);
	fd = op_cache_tables_open(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(fchmodat(dir, "mine/" OP_CACHE_TABLES_DIR, 0770, 0), 0);
	assert_int_equal(op_cache_tables_open(path), -EPERM);
	assert_int_equal(op_cache_tables_open(NULL), -ENOENT);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cache_directory_by_environment),
		test_in_dir(test_cache_directory_is_created_private),
		test_in_dir(test_unsafe_cache_directory_is_refused),
		test_in_dir(test_of_another_user),
		cmocka_unit_test(test_cache_limit_is_parsed),
		test_in_dir(test_cache_limit_is_stored_for_all_programs),
		test_in_dir(test_writable_table_directory_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
