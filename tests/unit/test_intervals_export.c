// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_export.c -- tests the export of intervals as sample files: sample files with equal
 * names, directories of any depth, and damaged totals and files.
 */
#include "config.h"
#include "intervals/session.h"

#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/resource.h>

#include "intervals/merge.h"
#include "libop/session/paths.h"
#include "tests/unit/samples.h"

/*
 * The sum of all sample files below a directory; global because nftw() passes no argument to its
 * callback.
 */
static uint64_t counted;
static unsigned int nr_counted;

static int count_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
	struct odb *db;
	int fd;

	(void)st;
	(void)at;
	if (type != FTW_F || !strstr(path, "TIMER"))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(odb_open(&db, fd, sizeof(struct op_sample_header), ODB_READ, NULL), 0);
	assert_int_equal(op_sample_header_check(odb_header(db)), 0);
	for (uint32_t i = odb_next_node(db, 0); i < odb_nr_nodes(db); i = odb_next_node(db, i + 1)) {
		uint64_t key;
		uint32_t count;

		odb_node(db, i, &key, &count);
		counted += count;
	}
	odb_close(db);
	nr_counted++;
	return 0;
}

/* Export @v, and expect @files sample files with @sum samples. */
static void expect(void **state, const struct itv *v, unsigned int files, uint64_t sum)
{
	char path[300];
	int dir = check_open_dir(state), out = samples_make_dir(dir, "out");

	assert_int_equal(itv_export(v, out), 0);
	close(out);
	close(dir);
	snprintf(path, sizeof(path), "%s/out", (char *)*state);
	counted = nr_counted = 0;
	assert_int_equal(nftw(path, count_file, 8, FTW_PHYS), 0);
	assert_int_equal(counted, sum);
	assert_int_equal(nr_counted, files);
}

/* Add a session with a single sample file to @sum. */
static void add(void **state, struct itv *sum, const char *name, const struct samples_file *file)
{
	struct itv part = { 0 };
	int dir = check_open_dir(state), session = samples_make_dir(dir, name);

	samples_add(session, file);
	assert_int_equal(itv_pack(&part, session, false), 0);
	assert_int_equal(itv_merge(sum, &part, NULL), 0);
	itv_release(&part);
	close(session);
	close(dir);
}

/*
 * If an event has different codes on two CPU types, the exported session has one sample file for
 * both.
 */
static void test_types_of_cpu(void **state)
{
	struct samples_file file = {
		.kind = OP_IMAGE_KERN, .path = "vmlinux", .offset = 16, .count = 10, .cpu_type = 4,
	};
	struct itv sum = { 0 };

	add(state, &sum, "first", &file);
	file.cpu_type = 5;
	file.count = 20;
	add(state, &sum, "second", &file);
	assert_int_equal(sum.nr_events, 1);
	assert_int_equal(sum.events[0].cpu_type, 5);
	assert_int_equal(sum.nr_groups, 1);
	expect(state, &sum, 1, 30);
	itv_release(&sum);
}

/* The samples of copies of one binary with different owners are exported completely. */
static void test_copies_of_all_owners_are_exported(void **state)
{
	struct samples_file file = {
		.path = "/tmp/x", .offset = 16, .count = 7, .build = 0x1234, .mtime = 99,
	};
	struct itv sum = { 0 };
	char name[20];

	for (uint32_t i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "session%u", i);
		file.owner = 1000 + i;
		add(state, &sum, name, &file);
	}
	expect(state, &sum, 3, 42);
	itv_release(&sum);
}

/* Builds of a file whose name leaves no room for a version are exported. */
static void test_builds_with_long_name_are_exported(void **state)
{
	char path[300] = "/tmp/", name[20];
	struct samples_file file = { .path = path, .offset = 16, .count = 7 };
	struct itv sum = { 0 };

	/* the longest name that the daemon stores (daemon/store/sample_path.c) */
	memset(path + strlen(path), 'x', 252);
	for (uint32_t i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "session%u", i);
		file.build = 0x1234 + i;
		file.mtime = 99 + i;
		add(state, &sum, name, &file);
	}
	expect(state, &sum, 3, 21);
	itv_release(&sum);
}

/*
 * A deeply nested program can be exported, although its sample file has more directory levels than
 * a process may have descriptors.
 */
static void test_deep_paths_are_exported(void **state)
{
	struct rlimit before, few;
	struct samples_file file = { .offset = 16, .count = 1000 };
	struct itv v = { 0 };
	int dir = check_open_dir(state), session = samples_make_dir(dir, "deep");
	char path[1602] = "";

	for (size_t i = 0; i < 800; i++)
		memcpy(path + 2 * i, "/a", 2);
	file.path = path;
	samples_add(session, &file);
	file.path = "/b";
	samples_add(session, &file);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(itv_pack(&v, session, false), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(v.accounting.samples, 2000);
	assert_int_equal(op_session_stats_get(&v.accounting.stats, "lost_crash"), 0);
	close(session);
	close(dir);
	expect(state, &v, 2, 2000);
	itv_release(&v);
}

/* Check that a session with unreadable totals is packed, and that its interval records this. */
static void expect_damaged(int session)
{
	struct itv v = { 0 };

	assert_int_equal(itv_pack(&v, session, false), 0);
	assert_int_equal(v.accounting.samples, 7);
	assert_int_equal(op_session_stats_get(&v.accounting.stats, "totals_damaged"), 1);
	assert_int_equal(op_session_stats_get(&v.accounting.stats, "recovered_samples"), 7);
	assert_int_equal(op_session_stats_sum(&v.accounting.stats, OP_STAT_STORED), 7);
	itv_release(&v);
}

static void test_damaged_totals_are_recomputed(void **state)
{
	const struct samples_file file = { .path = "/b", .offset = 16, .count = 7 };
	int dir = check_open_dir(state), session = samples_make_dir(dir, "damaged");
	int fd = samples_create(session, OP_STATS_FILE);

	samples_add(session, &file);
	assert_int_equal(op_write_all(fd, "check 1\nstored 9\n", 17), 0);
	expect_damaged(session);
	/* The size of the file exceeds that of any valid file of totals. */
	assert_int_equal(ftruncate(fd, 64 << 20), 0);
	expect_damaged(session);
	close(fd);
	assert_int_equal(unlinkat(session, OP_STATS_FILE, 0), 0);
	assert_int_equal(mkdirat(session, OP_STATS_FILE, 0755), 0);
	expect_damaged(session);
	close(session);
	close(dir);
}

/*
 * If the header or the name of a sample file is damaged, the samples of the file are counted as
 * lost and the daemon does not crash.
 */
static void test_samples_of_damaged_file_are_lost(void **state)
{
	const struct samples_file file = { .path = "/b", .offset = 16, .count = 7 };
	struct op_session_stats totals = { 0 };
	static const char *const paths[] = {
		"{root}/b/{dep}/{root}/b/TIMER.1000000.0.all.all.all",
		"{root}/b/no-sample-file",
	};
	int dir = check_open_dir(state), session = samples_make_dir(dir, "damaged"), fd;
	struct itv v = { 0 };

	samples_add(session, &file);
	assert_int_equal(op_session_stats_add(&totals, "stored", 7), 0);
	assert_int_equal(op_session_stats_write(&totals, session), 0);
	op_session_stats_release(&totals);
	fd = openat(session, paths[0], O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "damaged", 7, 0), 7);
	close(fd);
	for (size_t i = 0; i < 2; i++) {
		if (i)
			assert_int_equal(renameat(session, paths[0], session, paths[1]), 0);
		assert_int_equal(itv_pack(&v, session, false), 0);
		assert_int_equal(v.accounting.samples, 0);
		assert_int_equal(op_session_stats_get(&v.accounting.stats, "lost_file_damaged"), 7);
		itv_release(&v);
	}
	close(session);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_types_of_cpu),
		test_in_dir(test_copies_of_all_owners_are_exported),
		test_in_dir(test_builds_with_long_name_are_exported),
		test_in_dir(test_deep_paths_are_exported),
		test_in_dir(test_damaged_totals_are_recomputed),
		test_in_dir(test_samples_of_damaged_file_are_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
