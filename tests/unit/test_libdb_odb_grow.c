// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libdb_odb_grow.c -- failure injection (full disk, no memory) in libdb's sample files: each
 * call fails once. Earlier counts are kept, a failed update adds nothing, and updates succeed again
 * when there is space.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "libdb/layout.h"
#include "tests/fault/fault.h"

#define HEADER 72
#define NR_KEYS 1200	/* number of keys that makes the file grow four times */

static size_t file_size(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

static void expect_consistent(int fd, uint64_t sum)
{
	struct odb_repair repair;
	struct odb *db;

	assert_int_equal(odb_open(&db, dup(fd), HEADER, ODB_WRITE, &repair), 0);
	assert_int_equal(repair.repaired, 0);
	assert_true(odb_total(db) == sum);
	odb_close(db);
}

/*
 * Create, fill, close and reopen a sample file, while the @n-th call fails. Return 0 if fewer than
 * @n calls were made.
 */
static int run_with_fault(long n)
{
	int fd = memfd_create("samples", 0), err, failed = 0;
	struct odb *db = NULL;
	uint64_t key, sum = 0;

	assert_true(fd >= 0);
	fault_arm(n, ENOSPC);
	err = odb_open(&db, dup(fd), HEADER, ODB_WRITE, NULL);
	if (err) {
		assert_null(db);
		assert_true(err == -ENOSPC || err == -ENOMEM);
		assert_int_equal(file_size(fd), 0);
		failed = 1;
		assert_int_equal(odb_open(&db, dup(fd), HEADER, ODB_WRITE, NULL), 0);
	}
	for (key = 1; key <= NR_KEYS; key++) {
		err = odb_update(db, key, 1);
		if (err) {
			assert_int_equal(err, -ENOSPC);
			assert_true(odb_total(db) == sum);
			assert_int_equal(file_size(fd), odb_file_size(HEADER, db->size));
			if (sum)
				assert_int_equal(odb_update(db, 1, 0), 0);
			/* Updates succeed again when the disk has space. */
			assert_int_equal(odb_update(db, key, 1), 0);
			failed = 1;
		}
		sum++;
	}
	assert_true(odb_total(db) == sum);
	odb_close(db);
	db = NULL;
	err = odb_open(&db, dup(fd), HEADER, ODB_WRITE, NULL);
	if (err)
		failed = 1;
	odb_close(db);
	failed |= fault_disarm();
	expect_consistent(fd, sum);
	close(fd);
	return failed;
}

static void test_every_call_fails_once(void **state)
{
	long n;

	(void)state;
	for (n = 1; run_with_fault(n); n++)
		;
	printf("%ld places\n", n - 1);
	assert_true(n > 8);
}

static void test_repair_without_memory(void **state)
{
	int fd = memfd_create("samples", 0), err;
	struct odb_repair repair;
	struct odb *db;
	uint32_t junk = 99;

	(void)state;
	assert_int_equal(odb_open(&db, dup(fd), HEADER, ODB_WRITE, NULL), 0);
	for (uint64_t key = 1; key <= 100; key++)
		assert_int_equal(odb_update(db, key, 1), 0);
	odb_close(db);
	for (long n = 1;; n++) {
		/* Simulate an interrupted growth with a wrong hash. */
		assert_int_equal(ftruncate(fd, odb_file_size(HEADER, 256) - 100), 0);
		assert_int_equal(pwrite(fd, &junk, 4, HEADER + 32 + 16 * 128), 4);
		fault_arm(n, ENOSPC);
		err = odb_open(&db, dup(fd), HEADER, ODB_WRITE, &repair);
		if (!fault_disarm()) {
			assert_int_equal(err, 0);
			break;
		}
		if (!err)
			odb_close(db);
	}
	assert_int_equal(repair.repaired, 1);
	assert_true(odb_total(db) == 100);
	odb_close(db);
	expect_consistent(fd, 100);
	close(fd);
}

/* On a file system without fallocate(), the file is extended by writing zeros. */
static void test_writes_zeros_instead(void **state)
{
	int fd = memfd_create("samples", 0);
	struct odb *db;

	(void)state;
	fault_arm_always("fallocate", EOPNOTSUPP);
	assert_int_equal(odb_open(&db, dup(fd), HEADER, ODB_WRITE, NULL), 0);
	for (uint64_t key = 1; key <= NR_KEYS; key++)
		assert_int_equal(odb_update(db, key, 1), 0);
	odb_close(db);
	/* Holes of the file are filled with zeros, too. */
	assert_int_equal(ftruncate(fd, odb_file_size(HEADER, 4096)), 0);
	assert_int_equal(odb_open(&db, dup(fd), HEADER, ODB_WRITE, NULL), 0);
	odb_close(db);
	fault_disarm();
	expect_consistent(fd, NR_KEYS);
	close(fd);
}

static void test_file_size_limit(void **state)
{
	struct rlimit old, small;
	int dir = check_open_dir(state), err = 0;
	struct odb *db;
	uint64_t key;
	int fd = openat(dir, "samples", O_RDWR | O_CREAT, 0600);

	close(dir);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){ 8192, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(odb_open(&db, dup(fd), HEADER, ODB_WRITE, NULL), 0);
	for (key = 1; key <= NR_KEYS && !err; key++)
		err = odb_update(db, key, 1);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(key - 1, 256);		/* all nodes from 1 to 255 are used */
	assert_int_equal(odb_update(db, 1, 5), 0);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(odb_update(db, key, 1), 0);
	odb_close(db);
	expect_consistent(fd, 255 + 5 + 1);
	close(fd);
}

/*
 * On a small file system that becomes full, updates return errors and never raise SIGBUS. Runs in a
 * new mount namespace.
 */
static int fill_small_disk(const char *dir)
{
	char path[200];
	uint64_t key, sum = 0;
	struct odb *db[8];
	bool full = false;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("small", dir, "tmpfs", 0, "size=256k"))
		return 77;
	for (int i = 0; i < 8; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/%d", dir, i);
		fd = open(path, O_RDWR | O_CREAT, 0600);
		if (fd < 0 || odb_open(&db[i], fd, HEADER, ODB_WRITE, NULL))
			return 1;
	}
	for (key = 1; key < 20000; key++) {
		int err = odb_update(db[key % 8], key, 1);

		if (err && err != -ENOSPC)
			return 2;
		full |= err == -ENOSPC;
		sum += !err;
	}
	for (int i = 0; i < 8; i++) {
		sum -= odb_total(db[i]);
		odb_close(db[i]);
	}
	return !full ? 3 : sum ? 4 : 0;
}

static void test_full_disk_keeps_counts(void **state)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		_exit(fill_small_disk(*state));
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();	/* skip the test, because mount() is not permitted */
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_call_fails_once),
		cmocka_unit_test(test_repair_without_memory),
		cmocka_unit_test(test_writes_zeros_instead),
		test_in_dir(test_file_size_limit),
		test_in_dir(test_full_disk_keeps_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
