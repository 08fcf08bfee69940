// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_faults.c -- makes each allocation and system call of opening a session fail once. The
 * session is then refused or its missing part is reported, and no memory leaks (checked by ASan).
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "libop/base/fs.h"
#include "pp/profile/path_frames.h"
#include "pp/session/open.h"
#include "tests/fault/fault.h"
#include "tests/unit/paths.h"
#include "tests/unit/pp_log.h"

#define FILE_NAME	"TIMER.1000000.0.all.all.all"

static const char *session_dir;

/* Create a session of this version with call paths, and a session of OProfile 1.4. */
static void make_sessions(void **state)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{ "samples/current/{root}/bin/a/{dep}/{root}/bin/a/" FILE_NAME, "" },
		{ "samples/current/paths/root/bin/a/" FILE_NAME, "" },
		{ "samples/current/paths/images", "00000001 00000002 3 0 {root}/bin/a\n" },
		{ "samples/current/stats/totals", "stored 90\n" },
		{ "samples/current/stats/about", "begun 5\n" },
		{ "samples/current/task-names", "1 1 a\n" },
		{ "samples/old/{root}/bin/a/{dep}/{root}/bin/a/" FILE_NAME, "" },
		{ "samples/old/stats/total_samples", "100\n" },
		{ "samples/old/stats/lost_kernel", "10\n" },
	};
	int dir = check_open_dir(state);

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		assert_int_equal(op_make_parents(dir, files[i].path, 0755), 0);
		assert_int_equal(op_replace_file_nowait(dir, files[i].path, files[i].text, strlen(files[i].text), 0644), 0);
	}
	close(dir);
	session_dir = *state;
}

static bool is_complete(const struct pp_session *s)
{
	return s->files.nr == 2 && s->files.nr_trees == 1 && s->path_images[0].list.nr == 1 &&
	       op_session_stats_get(&s->stats, "stored") == 180 && op_session_stats_get(&s->stats, "lost_kernel") == 10;
}

static int open_session(long n)
{
	const char *words[] = { "session:current,old" };
	struct check_log log = check_log();
	struct pp_session *session = NULL;
	struct pp_spec spec = { 0 };
	const struct pp_session_options options = { .session_dir = session_dir, .spec = &spec, .paths = 1 };
	int err = pp_spec_parse(&spec, words, 1, &log.log);

	if (!err)
		err = pp_session_open(&session, &options, &log.log);
	if (err && err != -ENOMEM && !*log.log.error.text)
		fail_msg("call %ld: %d without a reason", n, err);
	if (!err && !log.nr[PP_LOG_WARNING] && !is_complete(session))
		fail_msg("call %ld: something is left out, and not told", n);
	pp_session_close(session);
	pp_spec_release(&spec);
	return err;
}

static void test_failing_calls_while_opening_session(void **state)
{
	long n;
	int err;

	make_sessions(state);
	for (n = 1;; n++) {
		fault_arm(n, EIO);
		err = open_session(n);
		if (!fault_disarm())
			break;
	}
	assert_int_equal(err, 0);
	assert_true(n > 50);
	print_message("%ld calls failed\n", n - 1);
}

/* Replace the session's empty list of frames and its empty tree. */
static void make_tree(void)
{
	int dir = open(session_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	struct frames *frames;
	struct tree *tree;

	fd = openat(dir, "samples/current/paths/frames", O_RDWR | O_CREAT, 0644);
	assert_int_equal(frames_open(&frames, fd, ODB_WRITE, 7), 0);
	fd = openat(dir, "samples/current/paths/root/bin/a/" FILE_NAME, O_RDWR);
	assert_int_equal(tree_open(&tree, fd, ODB_WRITE, frames_generation(frames)), 0);
	for (uint64_t n = 0; n < 100; n++)
		assert_int_equal(paths_add(frames, tree, n), 0);
	tree_close(tree);
	frames_close(frames);
	close(dir);
}

static int read_paths(const struct pp_session *session, size_t *nr, bool *is_reported)
{
	struct check_log log = check_log();
	struct pp_path_sources sources;
	int err = pp_path_sources_read(&sources, session, &log.log);

	*nr = 0;
	*is_reported = log.nr[PP_LOG_WARNING] > 0;
	if (err)
		return err;
	for (size_t i = 0; i < sources.nr; i++)
		*nr += sources.sources[i].nr;
	if (!*is_reported) {
		assert_int_equal(sources.nr_groups, 1);
		for (uint32_t i = FRAME_FIRST; i < sources.sources[0].end; i++)
			assert_ptr_equal(pp_path_frame_find(&sources, 0, i),
					 &sources.sources[0].frames[sources.sources[0].by_number[i] - 1]);
	}
	pp_path_sources_release(&sources);
	return 0;
}

/* If an allocation or system call fails while call paths are read, the session is refused, or
 * missing frames are reported. */
static void test_failing_calls_while_reading_paths(void **state)
{
	struct pp_spec spec = { 0 };
	struct pp_session_options options = { .spec = &spec, .paths = 1 };
	struct check_log log = check_log();
	struct pp_session *session;
	size_t all, nr;
	bool is_reported;
	long n;
	int err;

	make_sessions(state);
	make_tree();
	options.session_dir = session_dir;
	assert_int_equal(pp_session_open(&session, &options, &log.log), 0);
	assert_int_equal(read_paths(session, &all, &is_reported), 0);
	assert_true(all > 50 && !is_reported);
	for (n = 1;; n++) {
		fault_arm(n, EIO);
		err = read_paths(session, &nr, &is_reported);
		if (!fault_disarm())
			break;
		assert_true(err == -ENOMEM || (!err && (is_reported || nr == all)));
	}
	assert_int_equal(err, 0);
	assert_int_equal(nr, all);
	assert_true(n > 8);
	print_message("%ld calls failed\n", n - 1);
	pp_session_close(session);
	pp_spec_release(&spec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_failing_calls_while_opening_session),
		test_in_dir(test_failing_calls_while_reading_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
