// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_recover.c -- tests that the totals of a session whose writer was killed are corrected
 * once, by the holder of the session's lock. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <unistd.h>

#include "libdb/odb.h"
#include "libop/base/fs.h"
#include "libop/session/recover.h"
#include "libop/session/sample_header.h"

/* Write a sample file with @count samples. */
static void put_samples(int dir, const char *path, uint32_t count)
{
	const struct op_sample_header header = { .version = 0x13 };
	struct odb *db;
	int fd;

	assert_int_equal(op_make_parents(dir, path, 0755), 0);
	fd = openat(dir, path, O_RDWR | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(odb_open(&db, fd, sizeof(header), ODB_WRITE, NULL), 0);
	memcpy(odb_header(db), &header, sizeof(header));
	assert_int_equal(odb_update(db, 16, count), 0);
	odb_close(db);
}

static void put_totals(int dir, uint64_t stored, const struct op_session_writer *writer)
{
	struct op_session_stats stats = { .writer = *writer };

	assert_int_equal(op_session_stats_add(&stats, "replay_samples", stored), 0);
	assert_int_equal(op_session_stats_add(&stats, "stored", stored), 0);
	assert_int_equal(op_session_stats_write(&stats, dir), 0);
	op_session_stats_release(&stats);
}

static uint64_t total(int dir, const char *name, bool *marked)
{
	struct op_session_stats stats = { 0 };
	uint64_t value;

	assert_int_equal(op_session_stats_read(&stats, dir), 0);
	value = op_session_stats_get(&stats, name);
	*marked = stats.writer.pid != 0;
	op_session_stats_release(&stats);
	return value;
}

static void test_totals_are_recovered_from_files(void **state)
{
	const struct op_session_writer dead = { .pid = 1, .start = 1, .boot = 1 };
	struct op_session_recovered r = { .stored_before = 77 };
	struct op_session_writer self;
	int dir = open(*state, O_RDONLY | O_DIRECTORY);
	bool marked;

	assert_true(dir >= 0);
	/* For a session without a file of totals, no samples are recovered. */
	assert_int_equal(op_session_recover(dir, false, &r), 0);
	put_samples(dir, "{root}/bin/x/{dep}/{root}/bin/x/TIMER.1000000.0.all.all.all", 30);
	put_samples(dir, "{root}/bin/x/{dep}/{root}/bin/y/{cg}/{root}/bin/x/TIMER.1000000.0.all.all.all", 5);
	/* a directory of a user whose name only contains {cg} */
	put_samples(dir, "{root}/x{cg}/z/{dep}/{root}/x{cg}/z/TIMER.1000000.0.all.all.all", 7);
	put_totals(dir, 10, &(struct op_session_writer){ 0 });
	assert_int_equal(op_session_recover(dir, false, &r), 0);
	assert_int_equal(total(dir, "stored", &marked), 10);

	op_session_writer_self(&self);
	put_totals(dir, 10, &self);
	assert_int_equal(op_session_recover(dir, false, &r), -EBUSY);
	assert_int_equal(total(dir, "stored", &marked), 10);
	assert_true(marked);
	assert_int_equal(r.stored_before, 77);

	put_totals(dir, 10, &dead);
	assert_int_equal(op_session_recover(dir, false, &r), 1);
	assert_int_equal(r.stored_before, 10);
	assert_int_equal(r.sums.stored, 37);
	assert_int_equal(r.writer.pid, 1);
	assert_int_equal(total(dir, "stored", &marked), 37);
	assert_false(marked);
	assert_int_equal(total(dir, "recovered_samples", &marked), 27);
	assert_int_equal(total(dir, "daemon_killed", &marked), 1);
	assert_int_equal(op_session_recover(dir, true, &r), 0);
	close(dir);
}

/*
 * If the daemon was killed after it stored the first samples and before it stored their call path,
 * these samples are counted as lost paths.
 */
static void test_samples_without_path_are_lost_paths(void **state)
{
	struct op_session_recovered r;
	struct op_session_writer self;
	int dir = open(*state, O_RDONLY | O_DIRECTORY);
	bool marked;

	assert_true(dir >= 0);
	put_samples(dir, "{root}/bin/x/{dep}/{root}/bin/x/TIMER.1000000.0.all.all.all", 3);
	assert_int_equal(mkdirat(dir, "paths", 0755), 0);
	op_session_writer_self(&self);
	put_totals(dir, 0, &self);
	assert_int_equal(op_session_recover(dir, true, &r), 1);
	assert_int_equal(total(dir, "paths_lost", &marked), 3);
	close(dir);
}

/*
 * If the file of totals contains only zeros, the number of samples is computed from the sample
 * files.
 */
static void test_zeroed_totals_are_recomputed(void **state)
{
	static const char zeros[100];
	struct op_session_recovered r;
	int dir = open(*state, O_RDONLY | O_DIRECTORY);
	bool marked;

	assert_true(dir >= 0);
	put_samples(dir, "{root}/bin/x/{dep}/{root}/bin/x/TIMER.1000000.0.all.all.all", 8);
	put_totals(dir, 8, &(struct op_session_writer){ 0 });
	assert_int_equal(op_replace_file(dir, "stats/totals", zeros, sizeof(zeros), 0644), 0);
	assert_int_equal(op_session_recover(dir, false, &r), 1);
	assert_int_equal(r.writer.pid, 0);
	assert_int_equal(total(dir, "stored", &marked), 8);
	assert_int_equal(total(dir, "daemon_killed", &marked), 0);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_totals_are_recovered_from_files),
		test_in_dir(test_samples_without_path_are_lost_paths),
		test_in_dir(test_zeroed_totals_are_recomputed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
