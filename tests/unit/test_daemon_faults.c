// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_faults.c -- each allocation and each system call on sample files fails once: the daemon's parts say so or
 * do without, leak nothing (ASan looks), and each sample is in a file or counted as lost.
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
#include "daemon/store/attribute.h"
#include "daemon/store/paths.h"
#include "daemon/store/recover.h"
#include "daemon/store/sample_cache.h"
#include "daemon/store/stats.h"
#include "libop/base/dir.h"
#include "module/uapi/unwind.h"
#include "tests/fault/fault.h"

#define NR_SAMPLES	40

static struct opd_session session;
static FILE *nowhere;

/* Calls @run again and again, and lets the first call fail, then the second, and so on. @run
 * must return an error each time, unless it can go on @without that call. */
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
	if (!err && (!opd_cookies_image(c, 2) || !opd_cookies_image(c, 0xfffe)))
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

static int samples(void)
{
	const struct opd_kernel_files none = { "/dev/null", "/dev/null", "/dev/null" };
	struct op_event_spec event = { .name = "TIMER", .count = 1000000, .kernel = 1, .user = 1 };
	struct opd_config cfg = { .events = &event, .nr_events = 1, .set.max_files = 1000 };
	struct opd_sample_cache *cache = NULL;
	struct opd_kernel *kernel = NULL;
	struct opd_attribution a;
	struct opd_stats stats;
	struct opd_log log;
	int err;

	opd_log_init(&log);
	opd_stats_init(&stats);
	err = opd_kernel_create(&kernel, &cfg, &log, &none);
	if (!err)
		err = opd_sample_cache_create(&cache, &cfg, &session, &stats, &log, 4, 0);
	if (!err) {
		opd_attribution_init(&a, &cfg, kernel, cache, &stats, &log);
		send(&a);
		opd_sample_cache_flush(cache);
		if (stats.v[OPD_STAT_STORED] + lost(&stats) != NR_SAMPLES)
			fail_msg("%llu stored and %llu lost of %d", (unsigned long long)stats.v[OPD_STAT_STORED],
				 (unsigned long long)lost(&stats), NR_SAMPLES);
		assert_int_equal(stats.v[OPD_STAT_SET_ASIDE], 0);
	}
	opd_sample_cache_destroy(cache);
	opd_kernel_destroy(kernel);
	opd_stats_release(&stats);
	return err;
}

#define NR_PATHS	1500	/* more than there is room for: trees are folded */

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

/* Each sample that is in a file is in a tree or counted as lost there. */
static int paths(void)
{
	const struct opd_kernel_files none = { "/dev/null", "/dev/null", "/dev/null" };
	struct op_event_spec event = { .name = "TIMER", .count = 1000000, .kernel = 1, .user = 1 };
	struct opd_config cfg = {
		.events = &event, .nr_events = 1, .set.max_files = 1000,
		.paths = { .depth = 128, .stack = 1024, .limit = 16384 },
	};
	struct opd_sample_cache *cache = NULL;
	struct opd_kernel *kernel = NULL;
	struct opd_attribution a;
	struct opd_stats stats;
	struct opd_log log;
	int err;

	opd_log_init(&log);
	opd_stats_init(&stats);
	a.paths = NULL;
	err = opd_kernel_create(&kernel, &cfg, &log, &none);
	if (!err)
		err = opd_sample_cache_create(&cache, &cfg, &session, &stats, &log, 4, 0);
	if (!err) {
		opd_sample_cache_at_once(cache);
		opd_attribution_init(&a, &cfg, kernel, cache, &stats, &log);
		err = opd_paths_create(&a.paths, &cfg, &session, kernel, images, &stats, &log);
	}
	if (!err) {
		send_paths(&a);
		opd_sample_cache_flush(cache);
		err = opd_paths_sync(a.paths);
		assert_int_equal(stats.v[OPD_STAT_STORED] + lost(&stats), NR_PATHS);
		assert_int_equal(stats.v[OPD_STAT_PATHS] + stats.v[OPD_STAT_PATHS_LOST], stats.v[OPD_STAT_STORED]);
		in_trees += stats.v[OPD_STAT_PATHS];
		foldings += stats.v[OPD_STAT_FOLDINGS];
		assert_int_equal(stats.v[OPD_STAT_SET_ASIDE], 0);
		opd_paths_destroy(a.paths);
	}
	opd_sample_cache_destroy(cache);
	opd_kernel_destroy(kernel);
	opd_stats_release(&stats);
	return err;
}

static void test_options(void **state)
{
	(void)state;
	fail_each(parse, false);
}

static void test_cookies(void **state)
{
	(void)state;
	fail_each(cookies, true);
}

static uint64_t in_files;

static int recover(void)
{
	uint64_t sum, unreadable;
	int err = opd_recover_sum(session.current_fd, &sum, &unreadable);

	assert_true(err || sum == in_files || unreadable);
	return err;
}

/* Each call fails once in two rounds: the first begins without sample files, the second with all. */
static void test_samples(void **state)
{
	struct op_reason why = { "" };
	uint64_t unreadable;

	assert_int_equal(opd_session_open(&session, *state, (gid_t)-1, &why), 0);
	fail_each(samples, true);
	fail_each(samples, true);
	assert_int_equal(opd_recover_sum(session.current_fd, &in_files, &unreadable), 0);
	assert_true(in_files > NR_SAMPLES && !unreadable);
	fail_each(recover, true);
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

/* Whatever call failed, the trees hold as many samples as the daemon has counted in them. @anew:
 * each run makes all files. */
static void fail_each_path(bool anew)
{
	uint64_t sum;
	int err, failed;
	long n;

	for (n = 1;; n++) {
		if (anew)
			remove_paths();
		foldings = 0;
		fault_arm(n, ENOSPC);
		err = paths();
		failed = fault_disarm();
		assert_int_equal(opd_paths_sum(session.current_fd, &sum), 0);
		if (sum != in_trees)
			fail_msg("call %ld: %llu in trees, not %llu", n, (unsigned long long)sum,
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

static void test_paths(void **state)
{
	struct op_reason why = { "" };

	assert_int_equal(opd_session_open(&session, *state, (gid_t)-1, &why), 0);
	assert_int_equal(opd_images_create(&images), 0);
	app = opd_images_intern(images, "/bin/app", 1, 2, 3);
	lib = opd_images_intern(images, "/lib/l.so", 1, 3, 4);
	assert_true(app && lib);
	fail_each_path(true);
	fail_each_path(false);
	opd_images_destroy(images);
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
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_cookies),
		test_in_dir(test_samples),
		test_in_dir(test_paths),
	};

	return cmocka_run_group_tests(tests, open_nowhere, close_nowhere);
}
