// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_session_stats.c -- tests the table of a session's counters and the file that stores
 * it.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/fs.h"
#include "libop/session/paths.h"
#include "libop/session/stats.h"

static void write_text(int dir, const char *text)
{
	int fd;

	mkdirat(dir, "stats", 0700);
	fd = openat(dir, OP_STATS_FILE, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void test_counter_names_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < op_nr_stat_descs; i++) {
		assert_non_null(op_stat_descs[i].what);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(op_stat_descs[i].name, op_stat_descs[j].name);
	}
}

static void test_counters_are_summed_by_kind(void **state)
{
	struct op_session_stats s = { 0 };

	(void)state;
	assert_int_equal(op_session_stats_add(&s, "sample_received", 10), 0);
	assert_int_equal(op_session_stats_add(&s, "sample_received", 90), 0);
	assert_int_equal(op_session_stats_add(&s, "stored", 93), 0);
	assert_int_equal(op_session_stats_add(&s, "sample_lost_overflow", 5), 0);
	assert_int_equal(op_session_stats_add(&s, "lost_disk_full", 2), 0);
	assert_int_equal(op_session_stats_add(&s, "of_a_newer_daemon", 1), 0);
	assert_int_equal(s.nr, 5);
	assert_int_equal(op_session_stats_get(&s, "sample_received"), 100);
	assert_int_equal(op_session_stats_get(&s, "absent"), 0);
	assert_int_equal(op_session_stats_sum(&s, OP_STAT_TAKEN), 100);
	assert_int_equal(op_session_stats_sum(&s, OP_STAT_STORED) +
			 op_session_stats_sum(&s, OP_STAT_LOSS), 100);
	assert_int_equal(op_session_stats_add(&s, "", 1), -EINVAL);
	assert_int_equal(op_session_stats_add(&s, "two words", 1), -EINVAL);
	assert_int_equal(op_session_stats_add(&s, "line\n", 1), -EINVAL);
	op_session_stats_release(&s);
	assert_int_equal(s.nr, 0);
}

/* Counters of two sessions are added by name, whether the table has the name or not. */
static void test_sessions_are_added(void **state)
{
	struct op_session_stats a = { 0 }, b = { 0 };

	(void)state;
	assert_int_equal(op_session_stats_add(&a, "stored", 3), 0);
	assert_int_equal(op_session_stats_add(&a, "of_a_newer_daemon", 1), 0);
	assert_int_equal(op_session_stats_add(&b, "of_another_daemon", 7), 0);
	assert_int_equal(op_session_stats_add(&b, "of_a_newer_daemon", 2), 0);
	assert_int_equal(op_session_stats_add(&b, "stored", UINT64_MAX - 1), 0);
	assert_int_equal(op_session_stats_add(&b, "sample_received", 5), 0);
	assert_int_equal(op_session_stats_add_all(&a, &b), 0);
	assert_int_equal(a.nr, 4);
	assert_int_equal(op_session_stats_get(&a, "stored"), UINT64_MAX);
	assert_int_equal(op_session_stats_get(&a, "of_a_newer_daemon"), 3);
	assert_int_equal(op_session_stats_get(&a, "of_another_daemon"), 7);
	assert_int_equal(op_session_stats_sum(&a, OP_STAT_TAKEN), 5);
	for (size_t i = 0; i < a.nr; i++)
		assert_int_equal(op_session_stats_same(&a, &a.values[i]), a.values[i].value);
	assert_int_equal(op_session_stats_same(&b, &a.values[1]), 2);
	op_session_stats_release(&a);
	assert_int_equal(op_session_stats_same(&a, &b.values[0]), 0);
	op_session_stats_release(&b);
}

static void test_write_and_read(void **state)
{
	struct op_session_stats s = { 0 }, r = { 0 };
	int dir = check_open_dir(state);
	struct stat st;

	assert_int_equal(op_session_stats_read(&r, dir), -ENOENT);
	op_session_stats_add(&s, "stored", UINT64_MAX);
	op_session_stats_add(&s, "unheard_of", 7);
	assert_int_equal(op_session_stats_write(&s, dir), 0);
	assert_int_equal(op_session_stats_write(&s, dir), 0);
	assert_int_equal(op_session_stats_read(&r, dir), 0);
	assert_int_equal(r.nr, 2);
	assert_true(op_session_stats_get(&r, "stored") == UINT64_MAX);
	assert_non_null(r.values[0].desc);
	assert_string_equal(r.values[1].name, "unheard_of");
	assert_null(r.values[1].desc);
	assert_int_equal(fstatat(dir, OP_STATS_FILE ".tmp", &st, 0), -1);
	op_session_stats_release(&s);
	op_session_stats_release(&r);
	close(dir);
}

static void test_invalid_lines_are_skipped(void **state)
{
	struct op_session_stats r = { 0 };
	int dir = check_open_dir(state);

	write_text(dir, "stored 5\nno_value\nbad x\nneg -1\nhuge 99999999999999999999\n\n 3\n"
			"trailing 3 4\nstored 6\nlast 9");
	assert_int_equal(op_session_stats_read(&r, dir), 0);
	assert_int_equal(r.nr, 2);
	assert_int_equal(op_session_stats_get(&r, "stored"), 11);
	assert_int_equal(op_session_stats_get(&r, "last"), 9);
	op_session_stats_release(&r);
	close(dir);
}

static void test_links_are_not_followed(void **state)
{
	struct op_session_stats s = { 0 };
	int dir = check_open_dir(state);

	op_session_stats_add(&s, "stored", 1);
	assert_int_equal(symlinkat("/tmp", dir, "stats"), 0);
	assert_int_equal(op_session_stats_write(&s, dir), -ENOTDIR);
	assert_int_equal(op_session_stats_read(&s, dir), -ENOTDIR);
	assert_int_equal(unlinkat(dir, "stats", 0), 0);
	assert_int_equal(mkdirat(dir, "stats", 0700), 0);
	assert_int_equal(symlinkat("elsewhere", dir, OP_STATS_FILE), 0);
	assert_int_equal(op_session_stats_read(&s, dir), -ELOOP);
	assert_int_equal(symlinkat("elsewhere", dir, OP_STATS_FILE ".spare"), 0);
	/* Writing replaces a symbolic link by a regular file. */
	assert_int_equal(op_session_stats_write(&s, dir), 0);
	assert_int_equal(faccessat(dir, "stats/elsewhere", F_OK, 0), -1);
	op_session_stats_release(&s);
	close(dir);
}

/*
 * A write succeeds on a full disk: writes use two files alternately, so each write overwrites
 * existing blocks.
 */
static void test_write_needs_no_new_blocks(void **state)
{
	struct op_session_stats s = { 0 }, r = { 0 };
	int dir = check_open_dir(state);
	struct stat st[3];

	for (int i = 0; i < 3; i++) {
		op_session_stats_add(&s, "stored", 10);
		assert_int_equal(op_session_stats_write(&s, dir), 0);
		assert_int_equal(fstatat(dir, OP_STATS_FILE, &st[i], AT_SYMLINK_NOFOLLOW), 0);
	}
	assert_true(st[0].st_ino != st[1].st_ino);
	assert_true(st[0].st_ino == st[2].st_ino);
	assert_int_equal(op_session_stats_read(&r, dir), 0);
	assert_int_equal(op_session_stats_get(&r, "stored"), 30);
	op_session_stats_release(&r);
	op_session_stats_release(&s);
	close(dir);
}

/* A spare file that is a FIFO or has another hard link is replaced, not written to. */
static void test_unsafe_spare_file_is_replaced(void **state)
{
	struct op_session_stats s = { 0 };
	int dir = check_open_dir(state);
	struct stat st;

	op_session_stats_add(&s, "stored", 1);
	write_text(dir, "stored 0\n");
	assert_int_equal(mkfifoat(dir, OP_STATS_FILE ".spare", 0600), 0);
	assert_int_equal(op_session_stats_write(&s, dir), 0);
	assert_int_equal(unlinkat(dir, OP_STATS_FILE ".spare", 0), 0);
	assert_int_equal(op_replace_file(dir, "other", "safe", 4, 0644), 0);
	assert_int_equal(linkat(dir, "other", dir, OP_STATS_FILE ".spare", 0), 0);
	assert_int_equal(op_session_stats_write(&s, dir), 0);
	assert_int_equal(fstatat(dir, "other", &st, 0), 0);
	assert_int_equal(st.st_size, 4);
	op_session_stats_release(&s);
	close(dir);
}

/*
 * The times for which an event was enabled and running are found by the event's name, period and
 * unit mask.
 */
static void test_event_times_are_found(void **state)
{
	struct op_session_stats s = { 0 };
	char name[OP_EVENT_TIME_NAME], event[128];
	uint64_t enabled = 1, running = 2;

	(void)state;
	assert_int_equal(op_session_stats_event_time(&s, "A", 1, 2, &enabled, &running), -ENOENT);
	assert_int_equal(op_event_time_name(name, sizeof(name), OP_EVENT_ENABLED, "A", 100, 16777217), 0);
	assert_string_equal(name, "enabled_ns:A.100.16777217");
	assert_int_equal(op_session_stats_add(&s, name, 500), 0);
	assert_int_equal(op_session_stats_event_time(&s, "A", 100, 16777217, &enabled, &running), -ENOENT);
	assert_int_equal(enabled, 1);
	assert_int_equal(op_event_time_name(name, sizeof(name), OP_EVENT_RUNNING, "A", 100, 16777217), 0);
	assert_int_equal(op_session_stats_add(&s, name, 125), 0);
	assert_int_equal(op_session_stats_event_time(&s, "A", 100, 16777217, &enabled, &running), 0);
	assert_int_equal(enabled, 500);
	assert_int_equal(running, 125);
	op_session_stats_release(&s);
	/* An event with a name of the maximum length is accepted. */
	memset(event, 'X', 127);
	event[127] = '\0';
	assert_int_equal(op_event_time_name(name, sizeof(name), OP_EVENT_ENABLED, event, UINT64_MAX,
					    UINT32_MAX), 0);
	assert_int_equal(op_session_stats_add(&s, name, 1), 0);
	op_session_stats_release(&s);
}

static void test_sums_saturate(void **state)
{
	struct op_session_stats s = { 0 };

	(void)state;
	assert_int_equal(op_session_stats_add(&s, "stored", UINT64_MAX - 1), 0);
	assert_int_equal(op_session_stats_add(&s, "stored", 1), 0);
	assert_int_equal(op_session_stats_add(&s, "stored", 5), 0);
	assert_true(op_session_stats_get(&s, "stored") == UINT64_MAX);
	assert_int_equal(op_session_stats_add(&s, "probe_recorded", 7), 0);
	assert_true(op_session_stats_sum(&s, OP_STAT_STORED) == UINT64_MAX);
	op_session_stats_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counter_names_are_unique),
		cmocka_unit_test(test_counters_are_summed_by_kind),
		cmocka_unit_test(test_sessions_are_added),
		test_in_dir(test_write_and_read),
		test_in_dir(test_invalid_lines_are_skipped),
		test_in_dir(test_links_are_not_followed),
		test_in_dir(test_write_needs_no_new_blocks),
		test_in_dir(test_unsafe_spare_file_is_replaced),
		cmocka_unit_test(test_event_times_are_found),
		cmocka_unit_test(test_sums_saturate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
