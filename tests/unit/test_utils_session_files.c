// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_session_files.c -- tests --reset and --save without a daemon, symbolic links, and
 * files left by a killed daemon.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "libop/base/fs.h"
#include "libop/session/stats.h"
#include "utils/operf/session.h"
#include "utils/shared/session_files.h"

static void write_file(void **state, const char *path, const char *text)
{
	int dir = check_open_dir(state);

	assert_int_equal(op_make_parents(dir, path, 0755), 0);
	assert_int_equal(op_replace_file(dir, path, text, strlen(text), 0644), 0);
	close(dir);
}

static void put(void **state, const char *path)
{
	write_file(state, path, "x");
}

static int file_exists(void **state, const char *path)
{
	int dir = check_open_dir(state);
	int found = faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;

	close(dir);
	return found;
}

static void test_reset_deletes_current_session(void **state)
{
	struct op_reason error = { "" };
	int dir;

	assert_int_equal(ctl_session_reset(*state, &error), 0);
	put(state, "samples/current/{root}/bin/ls/{dep}/{root}/bin/ls/TIMER.1.0.all.all.all");
	put(state, "samples/current/stats/totals");
	put(state, "samples/saved/file");
	put(state, "elsewhere/file");
	dir = check_open_dir(state);
	assert_int_equal(symlinkat("../../elsewhere", dir, "samples/current/link"), 0);
	close(dir);

	assert_int_equal(ctl_session_reset(*state, &error), 0);
	assert_false(file_exists(state, "samples/current/{root}"));
	assert_false(file_exists(state, "samples/current/stats"));
	assert_false(file_exists(state, "samples/current/link"));
	assert_true(file_exists(state, "samples/current"));
	assert_true(file_exists(state, "samples/saved/file"));
	assert_true(file_exists(state, "elsewhere/file"));
}

static void test_link_is_not_followed(void **state)
{
	struct op_reason error = { "" };
	int dir = check_open_dir(state);

	put(state, "elsewhere/file");
	put(state, "samples/x");
	assert_int_equal(symlinkat("../elsewhere", dir, "samples/current"), 0);
	close(dir);
	assert_true(ctl_session_reset(*state, &error) < 0);
	assert_true(file_exists(state, "elsewhere/file"));
}

static void test_save_renames_current_session(void **state)
{
	struct op_reason error = { "" };

	assert_int_equal(ctl_session_save(*state, "name", &error), -ENOENT);
	put(state, "samples/current/kernel-symbols");
	put(state, "samples/current/stats/totals");
	assert_int_equal(ctl_session_save(*state, "name", &error), -ENODATA);
	assert_non_null(strstr(error.text, "no samples"));
	assert_false(file_exists(state, "samples/name"));
	put(state, "samples/current/{kern}/x");
	assert_int_equal(ctl_session_save(*state, "name", &error), 0);
	assert_true(file_exists(state, "samples/name/{kern}/x"));
	put(state, "samples/current/{root}/y");
	assert_int_equal(ctl_session_save(*state, "name", &error), -EEXIST);
	assert_non_null(strstr(error.text, "already exists"));
	assert_true(file_exists(state, "samples/current/{root}/y"));
	assert_true(file_exists(state, "samples/name/{kern}/x"));
}

static void test_session_names_are_checked(void **state)
{
	static const char *const bad[] = { "", ".", "..", "a/b", "../x", "current", ".x", "a\nb", "a b",
					   "oprofiled.log" };
	struct op_reason error = { "" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ctl_session_check_name(bad[i], &error), -EINVAL);
	assert_int_equal(ctl_session_check_name("before-the-change", &error), 0);
}

/* Return the counter @name from the totals of the session in the directory @path. */
static uint64_t total(void **state, const char *path, const char *name)
{
	struct op_session_stats stats = { 0 };
	int dir = check_open_dir(state), session = openat(dir, path, O_RDONLY | O_DIRECTORY);
	uint64_t value;

	assert_true(session >= 0);
	assert_int_equal(op_session_stats_read(&stats, session), 0);
	assert_int_equal(stats.writer.pid, 0);
	value = op_session_stats_get(&stats, name);
	op_session_stats_release(&stats);
	close(session);
	close(dir);
	return value;
}

/*
 * If the daemon of a session was killed, --save corrects the session's totals before it renames the
 * session, and corrects them only once.
 */
static void test_totals_are_recovered_before_save(void **state)
{
	struct op_reason error = { "" };

	put(state, "samples/current/{root}/bin/ls/{dep}/{root}/bin/ls/TIMER.1.0.all.all.all");
	write_file(state, "samples/current/stats/totals",
		   "writer 1 1 1 1\nstored 7\nreplay_samples 7\n");
	assert_int_equal(ctl_session_save(*state, "name", &error), 0);
	assert_int_equal(total(state, "samples/name", "daemon_killed"), 1);
	assert_int_equal(total(state, "samples/name", "lost_crash"), 7);

	put(state, "samples/current/{root}/bin/ls/{dep}/{root}/bin/ls/TIMER.1.0.all.all.all");
	write_file(state, "samples/current/stats/totals",
		   "writer 1 1 1 1\nstored 7\nreplay_samples 7\n");
	assert_int_equal(operf_previous_set_aside(*state, &error), 0);
	assert_int_equal(operf_previous_save(*state, &error), 0);
	assert_int_equal(total(state, "samples/previous", "daemon_killed"), 1);
	assert_int_equal(total(state, "samples/previous", "lost_crash"), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_reset_deletes_current_session),
		test_in_dir(test_link_is_not_followed),
		test_in_dir(test_save_renames_current_session),
		test_in_dir(test_totals_are_recovered_before_save),
		cmocka_unit_test(test_session_names_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
