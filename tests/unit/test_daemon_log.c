// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_log.c -- tests the log: one line per message, whatever the message contains, and a
 * limited number of lines.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "daemon/base/log.h"

static size_t read_log(void **state, char *text, size_t size)
{
	int dir = check_open_dir(state), fd = openat(dir, "log", O_RDONLY);
	ssize_t n = read(fd, text, size - 1);

	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
	close(dir);
	return n;
}

static void open_log(void **state, struct opd_log *log)
{
	int dir = check_open_dir(state);

	opd_log_init(log);
	assert_int_equal(opd_log_open(log, dir, "log"), 0);
	close(dir);
}

static void test_message_is_one_clean_line(void **state)
{
	struct opd_log log;
	char text[10000], path[3000];

	open_log(state, &log);
	opd_log(&log, OPD_ERROR, "cannot open %s", "/tmp/a\n2020-01-01 00:00:00 error: forged\x1b[2J");
	opd_log(&log, OPD_DEBUG, "not said");
	log.verbose = true;
	opd_log(&log, OPD_DEBUG, "said");
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	opd_log(&log, OPD_INFO, "%s", path);
	opd_log_release(&log);
	read_log(state, text, sizeof(text));
	assert_non_null(strstr(text, " error: cannot open /tmp/a\\x0a2020-01-01 00:00:00 error: forged"
			       "\\x1b[2J\n"));
	assert_null(strstr(text, "not said"));
	assert_non_null(strstr(text, " debug: said\n"));
	assert_int_equal(text[strlen(text) - 1], '\n');
}

static void test_number_of_lines_is_limited(void **state)
{
	static char text[1 << 20];
	struct opd_log log;
	size_t nr = 0;

	open_log(state, &log);
	for (int i = 0; i < 100000; i++)
		opd_log(&log, OPD_WARN, "again %d", i);
	assert_true(log.suppressed > 0);
	/* Simulate the end of the limit's time window. */
	log.window -= OPD_LOG_WINDOW + 1;
	opd_log(&log, OPD_WARN, "later");
	opd_log_release(&log);
	read_log(state, text, sizeof(text));
	for (const char *p = text; (p = strstr(p, "again")); p++)
		nr++;
	assert_in_range(nr, OPD_LOG_BURST, 2 * OPD_LOG_BURST);
	assert_non_null(strstr(text, "messages were suppressed"));
	assert_non_null(strstr(text, "later"));
}

static size_t count(const char *text, const char *words)
{
	size_t nr = 0;

	for (const char *p = text; (p = strstr(p, words)); p++)
		nr++;
	return nr;
}

/*
 * Repetitions of a warning are counted, even if other warnings occur between them. Messages of
 * other levels are not counted.
 */
static void test_repeated_warnings_are_counted(void **state)
{
	struct opd_log log;
	char text[10000];

	open_log(state, &log);
	for (int i = 0; i < 10; i++) {
		opd_log(&log, OPD_WARN, "the disk is full");
		opd_log(&log, OPD_ERROR, "the disk is gone");
		opd_log(&log, OPD_INFO, "sampling started");
	}
	read_log(state, text, sizeof(text));
	assert_int_equal(count(text, "warning: the disk is full\n"), 1);
	assert_int_equal(count(text, "error: the disk is gone\n"), 1);
	assert_int_equal(count(text, "info: sampling started\n"), 10);
	/*
	 * After a while, the next repetition is written, after the number of skipped repetitions.
	 */
	for (size_t i = 0; i < OPD_LOG_RECENT; i++)
		log.recent[i].since -= OPD_LOG_REPEAT;
	opd_log(&log, OPD_WARN, "the disk is full");
	read_log(state, text, sizeof(text));
	assert_int_equal(count(text, "warning: 9 more times: the disk is full\n"), 1);
	assert_int_equal(count(text, "warning: the disk is full\n"), 2);
	/* When the log is released, the remaining numbers of skipped repetitions are written. */
	opd_log_release(&log);
	read_log(state, text, sizeof(text));
	assert_int_equal(count(text, "error: 9 more times: the disk is gone\n"), 1);
	assert_int_equal(count(text, "more times"), 2);
}

/* If there are more different warnings than the log remembers, each warning is written. */
static void test_many_different_warnings_are_written(void **state)
{
	struct opd_log log;
	char text[10000];

	open_log(state, &log);
	for (int i = 0; i < 2 * OPD_LOG_RECENT; i++)
		opd_log(&log, OPD_WARN, "warning %d.", i);
	opd_log_release(&log);
	read_log(state, text, sizeof(text));
	for (int i = 0; i < 2 * OPD_LOG_RECENT; i++) {
		char want[40];

		snprintf(want, sizeof(want), ": warning %d.\n", i);
		assert_int_equal(count(text, want), 1);
	}
}

/*
 * Warnings that a user can repeat with different words do not fill the disk, because the number of
 * written counts is limited, too.
 */
static void test_counts_are_bounded(void **state)
{
	static char text[8 << 20];
	struct opd_log log;

	open_log(state, &log);
	for (int i = 0; i < 100000; i++)
		opd_log(&log, OPD_WARN, "warning %d", i / 2);
	assert_true(log.suppressed > 0);
	opd_log_release(&log);
	read_log(state, text, sizeof(text));
	assert_in_range(count(text, "\n"), OPD_LOG_BURST, 2 * OPD_LOG_BURST + OPD_LOG_RECENT);
}

/* stderr is recognised as the journal's stream only if $JOURNAL_STREAM contains its device and
 * inode number. */
static void test_journal_stream_is_detected(void **state)
{
	char *path, value[60], text[1000];
	int saved = dup(STDERR_FILENO), fd;
	struct opd_log log;
	struct stat st;
	ssize_t n;

	assert_true(asprintf(&path, "%s/stream", (char *)*state) > 0);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	dup2(fd, STDERR_FILENO);
	for (int right = 0; right < 2; right++) {
		snprintf(value, sizeof(value), "%llu:%llu", (unsigned long long)st.st_dev,
			 (unsigned long long)st.st_ino + !right);
		setenv("JOURNAL_STREAM", value, 1);
		opd_log_init(&log);
		assert_int_equal(log.to_journal, right);
		log.to_stderr = true;
		opd_log(&log, OPD_ERROR, "one\n<0>two");
		opd_log(&log, OPD_INFO, "three");
		opd_log_release(&log);
	}
	unsetenv("JOURNAL_STREAM");
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(text, "oprofiled: error: one\\x0a<0>two\n<3>one\\x0a<0>two\n<6>three\n");
	close(fd);
	free(path);
}

static void test_reopened_log_follows_no_link(void **state)
{
	struct opd_log log;
	char text[1000];
	int dir = check_open_dir(state);

	open_log(state, &log);
	opd_log(&log, OPD_INFO, "first");
	assert_int_equal(renameat(dir, "log", dir, "log.1"), 0);
	assert_int_equal(opd_log_open(&log, dir, "log"), 0);
	opd_log(&log, OPD_INFO, "second");
	/* A symbolic link is not followed, and the current log file stays open. */
	assert_int_equal(symlinkat("log.1", dir, "link"), 0);
	assert_true(opd_log_open(&log, dir, "link") < 0);
	opd_log(&log, OPD_INFO, "third");
	opd_log_release(&log);
	read_log(state, text, sizeof(text));
	assert_null(strstr(text, "first"));
	assert_non_null(strstr(text, "second"));
	assert_non_null(strstr(text, "third"));
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_message_is_one_clean_line),
		test_in_dir(test_number_of_lines_is_limited),
		test_in_dir(test_repeated_warnings_are_counted),
				test_in_dir(test_many_different_warnings_are_written),
		test_in_dir(test_counts_are_bounded), test_in_dir(test_journal_stream_is_detected),
		test_in_dir(test_reopened_log_follows_no_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
