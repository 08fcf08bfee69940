// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_disk.c -- tests the size limit of the session directory: no writer exceeds the limit,
 * refused requests return errors, and deleting files makes room.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "daemon/base/disk.h"
#include "libdb/odb.h"
#include "libop/base/dir_bytes.h"
#include "libop/base/fs.h"
#include "libop/base/quota.h"
#include "libop/session/table_files.h"

#define MAX	(4u << 20)

static uint64_t directory_size(int dir)
{
	uint64_t bytes;

	assert_int_equal(op_dir_bytes(dir, &bytes), 0);
	return bytes;
}

static void assert_within_limit(int dir)
{
	assert_true(directory_size(dir) <= MAX);
}

static int create_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	return fd;
}

/* Write a file without requesting disk space, as a child process does. */
static void write_file(int dir, const char *name, const char *text, size_t len)
{
	int fd = create_file(dir, name);

	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

/* Add samples to a sample file until the growth of the file is refused. Return the error. */
static int fill_with_samples(int dir, const char *name)
{
	struct odb *db;
	int err = odb_open(&db, create_file(dir, name), 8, ODB_WRITE, NULL);

	for (uint64_t key = 1; !err; key++) {
		err = odb_update(db, key, 1);
		if (key % 4096 == 0)
			assert_within_limit(dir);
	}
	assert_within_limit(dir);
	return err;
}

static void sample_files_leave_space_for_totals(void **state)
{
	int dir = check_open_dir(state);
	struct opd_disk disk;
	char name[16], text[40000] = "";

	assert_int_equal(opd_disk_init(&disk, dir, MAX, NULL, NULL), 0);
	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "samples%d", i);
		assert_int_equal(fill_with_samples(dir, name), -ENOSPC);
	}
	assert_true(disk.is_refused);
	assert_int_equal(op_replace_file_nowait(dir, "totals", text, sizeof(text), 0644), 0);
	for (int i = 0; i < 20; i++) {
		opd_disk_count(&disk);
		assert_int_equal(op_replace_file_in_place(dir, "about", text, 4000, 0644), 0);
		assert_within_limit(dir);
	}
	opd_disk_release(&disk);
	close(dir);
}

static void full_session_refuses_other_writers(void **state)
{
	static char text[100000];
	int dir = check_open_dir(state), err = 0, log = create_file(dir, "log"), nr = 0;
	struct opd_disk disk;
	char name[32];

	assert_int_equal(opd_disk_init(&disk, dir, MAX, NULL, NULL), 0);
	while (!err) {
		snprintf(name, sizeof(name), "a/%d/b", nr++);
		err = op_make_parents(dir, name, 0755);
		if (!err)
			err = op_write_all(log, text, 1000);
		if (!err)
			err = op_replace_file_nowait(dir, name, text, sizeof(text), 0644);
		assert_within_limit(dir);
	}
	assert_int_equal(err, -ENOSPC);
	/* A part of the limit is reserved for work that frees space. */
	disk.is_working = true;
	opd_disk_count(&disk);
	assert_int_equal(op_replace_file_nowait(dir, "closed", text, sizeof(text), 0644), 0);
	assert_within_limit(dir);
	assert_int_equal(opd_disk_reserve(&disk, MAX), -ENOSPC);
	opd_disk_count(&disk);
	assert_int_equal(opd_disk_reserve(&disk, opd_disk_left(&disk)), 0);
	assert_int_equal(op_quota_request(OP_QUOTA_OTHERS, 1), -ENOSPC);
	opd_disk_end_reserve(&disk);
	assert_int_equal(op_quota_request(OP_QUOTA_OTHERS, 1), 0);
	opd_disk_release(&disk);
	assert_int_equal(op_quota_request(OP_QUOTA_OTHERS, UINT64_MAX), 0);
	close(log);
	close(dir);
}

static void tables_are_copied_within_the_limit(void **state)
{
	static char text[1u << 20];
	int dir = check_open_dir(state), err = 0, nr = 0;
	struct op_table_files files;
	struct opd_disk disk;
	char name[64];

	assert_int_equal(opd_disk_init(&disk, dir, MAX, NULL, NULL), 0);
	assert_int_equal(op_table_files_open(&files, dup(dir), 8 * MAX, "/nowhere"), 0);
	files.in_memory = true;
	for (; !err && nr < 100; nr++) {
		struct op_new_table new;

		assert_int_equal(op_table_files_begin(&files, &new), 0);
		/* The process that creates the table does not request space. */
		assert_int_equal(pwrite(new.fd, text, sizeof(text), 0), sizeof(text));
		assert_within_limit(dir);
		snprintf(name, sizeof(name), "%d-0.syms", nr);
		err = op_table_files_end(&files, &new, name);
		assert_within_limit(dir);
	}
	assert_int_equal(err, -ENOSPC);
	assert_in_range(nr, 3, 5);
	op_table_files_close(&files);
	opd_disk_release(&disk);
	close(dir);
}

/* Bytes written by a child are not counted in addition to its reservation. */
static void reserved_bytes_are_counted_once(void **state)
{
	static char text[1u << 20];
	int dir = check_open_dir(state), store;
	struct opd_disk disk;
	uint64_t left;

	assert_int_equal(mkdirat(dir, "store", 0755), 0);
	store = openat(dir, "store", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(op_replace_file_nowait(store, "old", text, sizeof(text) / 2, 0644), 0);
	assert_int_equal(opd_disk_init(&disk, dir, MAX, NULL, NULL), 0);
	opd_disk_watch(&disk, store);
	opd_disk_count(&disk);
	assert_int_equal(opd_disk_reserve(&disk, 2 * sizeof(text)), 0);
	left = opd_disk_left(&disk);
	/* The child writes half of its reservation. */
	write_file(store, "new", text, sizeof(text));
	opd_disk_count(&disk);
	assert_true(opd_disk_left(&disk) > left - 100000);
	assert_true(opd_disk_left(&disk) <= left);
	/* If the daemon deletes a file at the same time, the child's reservation does not grow. */
	assert_int_equal(unlinkat(store, "old", 0), 0);
	opd_disk_count(&disk);
	assert_true(opd_disk_left(&disk) <= left);
	/* Until the next count, assume that the child has written its whole reservation. */
	opd_disk_end_reserve(&disk);
	assert_int_equal(disk.held, 0);
	assert_int_equal(disk.written, 0);
	assert_true(opd_disk_left(&disk) <= left);
	opd_disk_count(&disk);
	assert_true(opd_disk_left(&disk) > left + sizeof(text));
	assert_int_equal(disk.counted, directory_size(dir));
	opd_disk_release(&disk);
	close(store);
	close(dir);
}

/* If a count fails, the upper bound is the last sum plus the bytes that were granted since. */
static void failed_count_keeps_upper_bound(void **state)
{
	static char text[1u << 20];
	int dir = check_open_dir(state);
	struct opd_disk disk;
	uint64_t left;

	assert_int_equal(opd_disk_init(&disk, -1, MAX, NULL, NULL), -EBADF);
	assert_int_equal(op_quota_request(OP_QUOTA_SAMPLES, UINT64_MAX), 0);
	assert_int_equal(opd_disk_init(&disk, dir, MAX, NULL, NULL), 0);
	assert_int_equal(op_replace_file_nowait(dir, "a", text, sizeof(text), 0644), 0);
	left = opd_disk_left(&disk);
	assert_int_equal(opd_disk_reserve(&disk, 4096), 0);
	disk.dir_fd = -1;
	assert_int_equal(opd_disk_count(&disk), -EBADF);
	assert_int_equal(opd_disk_left(&disk), left - 4096);
	/* The child may have written all bytes of its reservation. */
	opd_disk_end_reserve(&disk);
	assert_int_equal(opd_disk_left(&disk), left - 4096);
	assert_int_equal(op_quota_request(OP_QUOTA_OTHERS, MAX), -ENOSPC);
	disk.dir_fd = dir;
	assert_int_equal(opd_disk_count(&disk), 0);
	assert_true(opd_disk_left(&disk) > left - 4096);
	opd_disk_release(&disk);
	close(dir);
}

/* Make files with a size of one block in @nr directories. */
static void make_files(int dir, int nr)
{
	char name[32];

	for (int i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "d%d/file", i);
		assert_int_equal(op_make_parents(dir, name, 0755), 0);
		write_file(dir, name, "a", 1);
	}
}

/* Bytes granted between the steps of a count are included in its result. */
static void count_includes_concurrent_writes(void **state)
{
	int dir = check_open_dir(state);
	struct opd_disk disk;
	uint64_t later = 0;

	assert_int_equal(opd_disk_init(&disk, dir, MAX, NULL, NULL), 0);
	make_files(dir, 100);
	/* the count of opd_disk_init() */
	assert_int_equal(opd_disk_use_count(&disk), 0);
	assert_int_equal(opd_disk_use_count(&disk), -EAGAIN);
	assert_true(disk.is_wanted);
	assert_int_equal(op_quota_request(OP_QUOTA_OTHERS, 50000), 0);
	for (opd_disk_step(&disk); disk.is_wanted; opd_disk_step(&disk)) {
		assert_int_equal(op_quota_request(OP_QUOTA_OTHERS, 1), 0);
		later++;
	}
	assert_int_equal(disk.granted, later);
	assert_int_equal(disk.counted, directory_size(dir));
	assert_int_equal(opd_disk_use_count(&disk), 0);
	/* An error of a count is reported once. Later the count is tried again. */
	disk.dir_fd = -1;
	assert_int_equal(opd_disk_use_count(&disk), -EAGAIN);
	opd_disk_step(&disk);
	assert_false(disk.is_wanted);
	assert_int_equal(opd_disk_use_count(&disk), -EBADF);
	assert_int_equal(opd_disk_use_count(&disk), -EAGAIN);
	assert_int_equal(disk.counted, directory_size(dir));
	opd_disk_release(&disk);
	close(dir);
}

/* If directories are moved during a count, its result is discarded. A count ends even if
 * directories are moved all the time. */
static void count_ends_despite_concurrent_moves(void **state)
{
	int dir = check_open_dir(state), steps = 0;
	struct opd_disk disk;

	assert_int_equal(opd_disk_init(&disk, dir, 8 * MAX, NULL, NULL), 0);
	make_files(dir, 1000);
	opd_disk_changed(&disk);
	assert_int_equal(opd_disk_use_count(&disk), -EAGAIN);
	while (disk.is_wanted && steps++ < 20) {
		if (steps > 1)
			opd_disk_changed(&disk);
		opd_disk_step(&disk);
	}
	assert_false(disk.is_wanted);
	assert_int_equal(disk.counted, directory_size(dir));
	opd_disk_changed(&disk);
	assert_int_equal(opd_disk_use_count(&disk), -EAGAIN);
	opd_disk_release(&disk);
	close(dir);
}

static void delete_old(void *arg, uint64_t bytes)
{
	const int *dir = arg;

	assert_true(bytes > 0);
	unlinkat(*dir, "old", 0);
}

static void full_session_deletes_old_files(void **state)
{
	static char text[2u << 20];
	int dir = check_open_dir(state);
	struct opd_disk disk;

	assert_int_equal(op_replace_file_nowait(dir, "old", text, sizeof(text), 0644), 0);
	assert_int_equal(opd_disk_init(&disk, dir, MAX, delete_old, &dir), 0);
	usleep(100000);
	assert_int_equal(op_replace_file_nowait(dir, "new", text, sizeof(text), 0644), 0);
	assert_int_equal(faccessat(dir, "old", F_OK, 0), -1);
	assert_within_limit(dir);
	opd_disk_release(&disk);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(sample_files_leave_space_for_totals),
		test_in_dir(full_session_refuses_other_writers),
		test_in_dir(tables_are_copied_within_the_limit),
		test_in_dir(reserved_bytes_are_counted_once),
		test_in_dir(failed_count_keeps_upper_bound),
		test_in_dir(count_includes_concurrent_writes),
		test_in_dir(count_ends_despite_concurrent_moves),
		test_in_dir(full_session_deletes_old_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
