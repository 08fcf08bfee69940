// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_faults.c -- failure injection: each allocation and each system call on sample files
 * fails once. The daemon must report the error or continue without the result, must not leak memory
 * (ASan checks), and each sample must be in a file or counted as lost.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "daemon/image/cookie.h"
#include "daemon/image/image.h"
#include "daemon/image/kernel.h"
#include "daemon/options.h"
#include "daemon/store/about.h"
#include "daemon/store/attribute.h"
#include "daemon/store/path_dir.h"
#include "daemon/store/paths.h"
#include "libop/session/recover.h"
#include "daemon/store/sample_cache.h"
#include "daemon/store/stats.h"
#include "daemon/store/tree_files.h"
#include "libop/base/dir.h"
#include "libop/base/fs.h"
#include "libop/session/about.h"
#include "libop/session/table_files.h"
#include "module/uapi/unwind.h"
#include "tests/fault/fault.h"

#define NR_SAMPLES	40

static struct op_event_spec timer = { .name = "TIMER", .count = 1000000, .kernel = 1, .user = 1 };
static struct opd_session session;
static FILE *nowhere;

/* Call @run repeatedly: in the first run the first call fails, in the second run the second call,
 * and so on. @run must return an error each time, unless @without: then it may continue without the
 * failed call. */
static void fail_each(int (*run)(void), bool without)
{
	long n;
	int err;

	for (n = 1;; n++) {
		fault_arm(n, ENOSPC);
		err = run();
		if (!fault_disarm())
			break;
		if (!err && without)
			continue;
		if (err != -ENOMEM && err != -ENOSPC)
			fail_msg("call %ld: %d", n, err);
	}
	assert_int_equal(err, 0);
	assert_true(n > 3);
	print_message("%ld calls failed\n", n - 1);
}

static int parse(void)
{
	char *argv[] = {
		"oprofiled", "--session-dir=/s", "--events=CPU_CLK_UNHALTED:100000:0:1:1,TIMER:1ms", "--image=/bin/a,/bin/b",
		"--separate=lib", "--command=x y", "--pid=1,2", "--source=perf", NULL,
	};
	struct opd_config cfg;

	bool parsed = opd_config_parse(&cfg, 8, argv, nowhere, nowhere) == OPD_PARSE_RUN;

	if (parsed) {
		assert_int_equal(cfg.nr_events, 2);
		assert_int_equal(cfg.nr_images, 2);
		assert_int_equal(cfg.nr_pids, 2);
	}
	opd_config_release(&cfg);
	return parsed ? 0 : -ENOMEM;
}

static int cookies(void)
{
	char table[] = "1\t/bin/a\n2\t/bin/b\nfffe\t/usr/lib/libc.so.6\n";
	struct opd_images *images;
	struct opd_cookies *c = NULL;
	int err = opd_images_create(&images);
	FILE *f;

	if (err)
		return err;
	err = opd_cookies_create(&c, images, -1);
	if (!err) {
		f = fmemopen(table, sizeof(table) - 1, "r");
		err = opd_cookies_read(c, f);
		fclose(f);
	}
	if (!err && (!opd_cookies_image(c, 2, 0) || !opd_cookies_image(c, 0xfffe, 0)))
		err = -ENOMEM;
	opd_cookies_destroy(c);
	opd_images_destroy(images);
	return err;
}

static uint64_t lost(const struct opd_stats *stats)
{
	uint64_t sum = 0;

	for (int i = 0; i < OPD_NR_STATS; i++)
		for (size_t j = 0; j < op_nr_stat_descs; j++)
			if (op_stat_descs[j].kind == OP_STAT_LOSS && !strcmp(op_stat_descs[j].name, opd_stat_name(i)))
				sum += stats->v[i];
	return sum;
}

static void send(struct opd_attribution *a)
{
	static const struct opd_image app = { .path = "/bin/app" }, lib = { .path = "/lib/l.so" };
	struct opd_context ctx = { .cpu = 3, .tid = 8, .tgid = 7, .app = &app };
	struct opd_sample s = { .count = 1 };

	for (int i = 0; i < NR_SAMPLES; i++) {
		ctx.domain = i % 4 == 3 ? OPD_KERNEL : i % 4 == 2 ? OPD_USER_ANON : OPD_USER_FILE;
		ctx.image = i % 4 ? &lib : &app;
		ctx.anon = (struct opd_anon){ 0x1000, 0x200000, "[heap]" };
		s.offset = 0x1000 + i * 64;
		a->sink.samples(&a->sink, &ctx, &s, 1);
	}
}

/* The daemon's objects that store samples. */
struct store {
	struct opd_sample_cache *cache;
	struct opd_kernel *kernel;
	struct opd_attribution a;
	struct opd_stats stats;
	struct opd_log log;
};

static int begin(struct store *s, const struct opd_config *cfg)
{
	const struct opd_kernel_files none = { "/dev/null", "/dev/null", "/dev/null" };
	int err;

	*s = (struct store){ 0 };
	opd_log_init(&s->log);
	opd_stats_init(&s->stats);
	err = opd_kernel_create(&s->kernel, cfg, &s->log, &none);
	if (!err)
		err = opd_sample_cache_create(&s->cache, cfg, &session, &s->stats, &s->log, 4, 0);
	if (!err)
		opd_attribution_init(&s->a, cfg, s->kernel, s->cache, &s->stats, &s->log);
	return err;
}

static void end(struct store *s)
{
	opd_paths_destroy(s->a.paths);
	opd_sample_cache_destroy(s->cache);
	opd_kernel_destroy(s->kernel);
	opd_stats_release(&s->stats);
}

static int samples(void)
{
	struct opd_config cfg = { .events = &timer, .nr_events = 1, .set.max_files = 1000 };
	const uint64_t *v;
	struct store s;
	int err = begin(&s, &cfg);

	v = s.stats.v;
	if (!err) {
		send(&s.a);
		opd_sample_cache_flush(s.cache);
		if (v[OPD_STAT_STORED] + lost(&s.stats) != NR_SAMPLES)
			fail_msg("%llu stored and %llu lost of %d", (unsigned long long)v[OPD_STAT_STORED],
				 (unsigned long long)lost(&s.stats), NR_SAMPLES);
		assert_int_equal(v[OPD_STAT_SET_ASIDE], 0);
	}
	end(&s);
	return err;
}

/* number of paths to add; exceeds the limit, so that trees are folded */
#define NR_PATHS	1500

static struct opd_images *images;
static const struct opd_image *app, *lib;
static uint64_t in_trees, foldings;

static void send_paths(struct opd_attribution *a)
{
	for (int i = 0; i < NR_PATHS; i++) {
		struct opd_frame caller = { .domain = OPD_USER_FILE, .image = app, .offset = 1 + i % 100 };
		const struct opd_path path = { &caller, 1, OPROFILE_UW_WHOLE };
		struct opd_context ctx = { .domain = OPD_USER_FILE, .tid = 8, .tgid = 7, .app = app, .image = lib,
					   .path = &path };
		struct opd_sample s = { .offset = i, .count = 1 };

		a->sink.samples(&a->sink, &ctx, &s, 1);
	}
}

/* Check that each sample in a sample file is also in a tree, or is counted as lost in the trees. */
static int paths(void)
{
	struct opd_config cfg = {
		.events = &timer, .nr_events = 1, .set.max_files = 1000,
		.paths = { .depth = 128, .stack = 1024, .limit = 16384 },
	};
	const uint64_t *v;
	struct store s;
	int err = begin(&s, &cfg);

	v = s.stats.v;
	if (!err) {
		opd_sample_cache_at_once(s.cache);
		err = opd_paths_create(&s.a.paths, &cfg, &session, s.kernel, images, &s.stats, &s.log);
	}
	if (!err) {
		send_paths(&s.a);
		opd_sample_cache_flush(s.cache);
		err = opd_paths_sync(s.a.paths);
		assert_int_equal(v[OPD_STAT_STORED] + lost(&s.stats), NR_PATHS);
		assert_int_equal(v[OPD_STAT_PATHS] + v[OPD_STAT_PATHS_LOST], v[OPD_STAT_STORED]);
		in_trees += v[OPD_STAT_PATHS];
		foldings += v[OPD_STAT_FOLDINGS];
		assert_int_equal(v[OPD_STAT_SET_ASIDE], 0);
	}
	end(&s);
	return err;
}

/* Check that the totals are right, or that an error is returned. If a session cannot be restarted,
 * it must continue unchanged. */
static int totals(void)
{
	struct op_session_stats source = { 0 }, ret = { 0 }, base = { 0 };
	struct opd_stats s;
	int err;

	opd_stats_init(&s);
	s.v[OPD_STAT_STORED] = 5;
	s.v[OPD_STAT_NO_FILE] = 2;
	err = op_session_stats_add(&source, "perf_taken", 10);
	if (!err)
		err = op_session_stats_add(&source, "perf_lost_ring", 1);
	if (!err)
		err = op_session_stats_add(&s.earlier, "stored", 100);
	if (!err)
		err = opd_stats_totals(&s, &source, false, &ret);
	if (!err) {
		assert_int_equal(op_session_stats_get(&ret, "stored"), 105);
		assert_int_equal(op_session_stats_get(&ret, "perf_taken"), 8);
		assert_int_equal(op_session_stats_get(&ret, "pending"), 2);
		err = opd_stats_base(&s, &source, false, &base);
		if (!err)
			opd_stats_restart(&s, &base);
		assert_int_equal(s.v[OPD_STAT_STORED], err ? 5 : 0);
		assert_int_equal(op_session_stats_get(&s.earlier, "stored"), err ? 100 : 0);
	}
	op_session_stats_release(&ret);
	op_session_stats_release(&source);
	opd_stats_release(&s);
	return err;
}

/* Check that a table has its final name, or that an error is returned. */
static int table(void)
{
	int made;
	struct op_new_table new;
	struct op_table_files f;
	int dir = opd_open_dir_at(session.current_fd, "tables", 0755, &made), err;

	if (dir < 0)
		return dir;
	err = op_table_files_open(&f, dir, 1 << 20, "/dev/null");
	f.copied = true;
	if (!err)
		err = op_table_files_begin(&f, &new);
	if (!err) {
		int write_err = op_write_all(new.fd, "table", 5);

		err = op_table_files_end(&f, &new, write_err ? NULL : "a-0.table");
		if (write_err)
			err = write_err;
		assert_int_equal(op_table_files_use(&f, "a-0.table"), !err);
		unlinkat(f.dir_fd, "a-0.table", 0);
	}
	op_table_files_close(&f);
	return err;
}

static void test_failing_calls_while_parsing_options(void **state)
{
	(void)state;
	fail_each(parse, false);
}

static void test_failing_calls_while_reading_cookies(void **state)
{
	(void)state;
	fail_each(cookies, true);
}

static uint64_t in_files;

static int recover(void)
{
	struct op_session_sums sums;
	int err = op_session_sums_read(&sums, session.current_fd);

	assert_true(err || sums.stored == in_files || sums.unreadable);
	return err;
}

/* Make each call fail once, in two rounds: the first round starts without sample files, the second
 * round with all sample files. */
static void test_failing_calls_while_storing_samples(void **state)
{
	struct op_reason error = { "" };
	struct op_session_sums sums;

	assert_int_equal(opd_session_open(&session, *state, (gid_t)-1, &error), 0);
	fail_each(samples, true);
	fail_each(samples, true);
	assert_int_equal(op_session_sums_read(&sums, session.current_fd), 0);
	in_files = sums.stored;
	assert_true(in_files > NR_SAMPLES && !sums.unreadable);
	fail_each(recover, true);
	opd_session_release(&session);
}

static void test_failing_calls_while_writing_totals(void **state)
{
	(void)state;
	fail_each(totals, false);
}

static void test_failing_calls_while_storing_tables(void **state)
{
	struct op_reason error = { "" };

	assert_int_equal(opd_session_open(&session, *state, (gid_t)-1, &error), 0);
	fail_each(table, true);
	assert_int_equal(unlinkat(session.current_fd, "tables", AT_REMOVEDIR), 0);
	opd_session_release(&session);
}

/*
 * After any failure, session.about has its old or its complete new contents, and the session keeps
 * its start time.
 */
static void test_failing_calls_keep_old_or_new_about_file(void **state)
{
	const struct opd_config cfg = { .source = OPD_SOURCE_PERF, .set.command = (char *)"second" };
	const struct op_session_about first = { .begun = 5, .command = "first" };
	struct op_session_about about;
	struct op_reason error = { "" };
	struct opd_about notes;
	bool failed = true;
	long n;

	assert_int_equal(opd_session_open(&session, *state, (gid_t)-1, &error), 0);
	for (n = 1; failed; n++) {
		assert_int_equal(op_session_about_write(&first, session.current_fd), 0);
		notes = (struct opd_about){ .since_ms = 1 };
		fault_arm(n, EIO);
		opd_about_write(&notes, &cfg, "", true, NULL, NULL, session.current_fd);
		failed = fault_disarm();
		assert_int_equal(op_session_about_read(&about, session.current_fd), 0);
		assert_int_equal(about.begun, 5);
		if (strcmp(about.command, "first") || !failed)
			assert_string_equal(about.command, "first; second");
		/* The duration of sampling is added only once, when the file is written. */
		assert_int_equal(about.sampled_ms > 0, notes.since_ms != 1);
	}
	assert_true(n > 5);
	opd_session_release(&session);
}

static void remove_paths(void)
{
	int dir = openat(session.current_fd, "paths", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return;
	assert_int_equal(op_empty_dir(dir), 0);
	close(dir);
	in_trees = 0;
}

/* Whatever call failed, the trees contain as many samples as the daemon has counted for them.
 * @anew: each run creates all files. */
static void fail_each_path(bool anew)
{
	struct op_session_sums sums;
	int err, failed;
	long n;

	for (n = 1;; n++) {
		if (anew)
			remove_paths();
		foldings = 0;
		fault_arm(n, ENOSPC);
		err = paths();
		failed = fault_disarm();
		assert_int_equal(op_session_sums_read(&sums, session.current_fd), 0);
		if (sums.paths != in_trees)
			fail_msg("call %ld: %llu in trees, not %llu", n, (unsigned long long)sums.paths,
				 (unsigned long long)in_trees);
		if (!failed)
			break;
		if (err && err != -ENOMEM && err != -ENOSPC)
			fail_msg("call %ld: %d", n, err);
	}
	assert_int_equal(err, 0);
	assert_true(n > 30 && foldings > 0);
	print_message("%ld calls failed\n", n - 1);
}

static void test_failing_calls_while_storing_paths(void **state)
{
	struct op_reason error = { "" };

	assert_int_equal(opd_session_open(&session, *state, (gid_t)-1, &error), 0);
	assert_int_equal(opd_images_create(&images), 0);
	app = opd_images_intern(images, "/bin/app", 1, 2, 3);
	lib = opd_images_intern(images, "/lib/l.so", 1, 3, 4);
	assert_true(app && lib);
	fail_each_path(true);
	fail_each_path(false);
	opd_images_destroy(images);
	opd_session_release(&session);
}

static int open_trees(struct opd_tree_files *f)
{
	static const char *const apps[] = { "/bin/a", "/bin/b", "/bin/c", "/bin/d" };
	int err = 0;

	for (size_t i = 0; i < sizeof(apps) / sizeof(apps[0]) && (!err || err == -EFBIG); i++) {
		const struct opd_tree_key key = {
			.app = apps[i], .path = apps[i], .kind = OP_IMAGE_ROOT, .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL,
		};
		struct opd_tree *tree;

		err = opd_tree_files_open(f, &key, &tree);
	}
	return err;
}

/* If creating or opening a tree fails, as many trees as files are allowed can still be opened. */
static void test_number_of_trees(void **state)
{
	const struct opd_config cfg = {
		.events = &timer, .nr_events = 1, .set.max_files = 2, .paths = { .depth = 128, .limit = 1 << 20 },
	};
	const struct opd_path_dir dir = { .session = &session };
	struct op_reason error = { "" };
	struct opd_tree_files *f;
	struct opd_stats stats;
	unsigned long nr;
	uint64_t bytes;
	struct opd_log log;
	bool failed = true;
	long n;

	assert_int_equal(opd_session_open(&session, *state, (gid_t)-1, &error), 0);
	opd_log_init(&log);
	opd_stats_init(&stats);
	for (n = 1; failed; n++) {
		assert_int_equal(opd_tree_files_create(&f, &cfg, &session, &stats, &log), 0);
		fault_arm(n, ENOSPC);
		open_trees(f);
		failed = fault_disarm();
		/* If the file of frames cannot be opened, the daemon delays the next attempt. */
		if (open_trees(f) != -EAGAIN) {
			opd_path_dir_add_up(&dir, &bytes, &nr);
			assert_int_equal(nr, 2);
		}
		opd_tree_files_destroy(f);
		remove_paths();
	}
	assert_true(n > 10);
	opd_stats_release(&stats);
	opd_session_release(&session);
}

static int open_nowhere(void **state)
{
	(void)state;
	nowhere = fopen("/dev/null", "w");
	return nowhere ? 0 : -1;
}

static int close_nowhere(void **state)
{
	(void)state;
	return fclose(nowhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failing_calls_while_parsing_options),
		cmocka_unit_test(test_failing_calls_while_reading_cookies),
		test_in_dir(test_failing_calls_while_storing_samples),
		test_in_dir(test_failing_calls_while_storing_paths),
		cmocka_unit_test(test_failing_calls_while_writing_totals),
		test_in_dir(test_failing_calls_while_storing_tables),
		test_in_dir(test_failing_calls_keep_old_or_new_about_file),
		test_in_dir(test_number_of_trees),
	};

	return cmocka_run_group_tests(tests, open_nowhere, close_nowhere);
}
