// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_dir_bytes.c -- tests the computation of the size of directory trees: an error is not
 * counted as 0 bytes, hard links count once, and deep trees need few descriptors.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "libop/base/dir.h"
#include "libop/base/dir_bytes.h"

#define DEPTH	300

/* State of failure injection: number of calls until a call fails; 0: all calls succeed. */
static struct {
	long countdown;
	int err;
} fault;

static bool fails(void)
{
	if (!fault.countdown || --fault.countdown)
		return false;
	errno = fault.err;
	return true;
}

int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, mode_t mode);
int __wrap_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	return fails() ? -1 : __real_openat(dirfd, path, flags, mode);
}

struct dirent *__real_readdir(DIR *dir);
struct dirent *__wrap_readdir(DIR *dir);
struct dirent *__wrap_readdir(DIR *dir)
{
	return fails() ? NULL : __real_readdir(dir);
}

int __real_fstatat(int dirfd, const char *path, struct stat *st, int flags);
int __wrap_fstatat(int dirfd, const char *path, struct stat *st, int flags);
int __wrap_fstatat(int dirfd, const char *path, struct stat *st, int flags)
{
	return fails() ? -1 : __real_fstatat(dirfd, path, st, flags);
}

/* Write a file of @blocks blocks of 4096 bytes. */
static void make_file(int dir, const char *name, int blocks)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	char block[4096] = "x";

	assert_true(fd >= 0);
	while (blocks--)
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	close(fd);
}

static uint64_t own_bytes(int dir)
{
	struct stat st;

	assert_int_equal(fstat(dir, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* Create the directory @name in @dir, and return its descriptor. */
static int make_dir(int dir, const char *name)
{
	int fd;

	assert_int_equal(mkdirat(dir, name, 0755), 0);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* Create a tree of directories and files. Return its size in bytes. */
static uint64_t make_tree(int dir)
{
	int a = make_dir(dir, "a"), b = make_dir(a, "b");
	uint64_t bytes;

	make_file(dir, "one", 1);
	make_file(a, "two", 2);
	make_file(b, "four", 4);
	assert_int_equal(linkat(b, "four", dir, "again", 0), 0);
	assert_int_equal(symlinkat("/", b, "link"), 0);
	bytes = own_bytes(dir) + own_bytes(a) + own_bytes(b) + 7 * 4096;
	close(a);
	close(b);
	return bytes;
}

static void hard_links_are_counted_once(void **state)
{
	int dir = check_open_dir(state);
	uint64_t expected = make_tree(dir), bytes = 0;
	struct op_dir_sum sum = { .bytes = 0 };

	assert_int_equal(op_dir_bytes(dir, &bytes), 0);
	assert_int_equal(bytes, expected);
	/* An error also makes a sum over two directories fail. */
	assert_int_equal(op_dir_sum_add(&sum, dir), 0);
	assert_int_equal(op_dir_sum_add(&sum, dir), 0);
	assert_int_equal(sum.bytes, 2 * expected - 4 * 4096);
	op_dir_sum_release(&sum);
	close(dir);
}

static void errors_are_returned(void **state)
{
	static const int errors[] = { EIO, ENFILE, EMFILE, ENOMEM, EACCES };
	int dir = check_open_dir(state), nr = 0;
	uint64_t expected = make_tree(dir), bytes = 0;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		for (nr = 1;; nr++) {
			fault.countdown = nr;
			fault.err = errors[i];
			if (!op_dir_bytes(dir, &bytes))
				break;
			assert_int_equal(fault.countdown, 0);
			assert_int_equal(bytes, i ? expected : 0);
		}
		assert_true(fault.countdown > 0);
		assert_true(nr > 15);
		assert_int_equal(bytes, expected);
	}
	fault.countdown = 0;
	assert_int_equal(op_dir_bytes(-1, &bytes), -EBADF);
	close(dir);
}

static void deleted_files_are_ignored(void **state)
{
	int dir = check_open_dir(state);
	uint64_t expected = make_tree(dir), bytes;
	int nr_sums = 0;

	for (int nr = 1;; nr++) {
		fault.countdown = nr;
		fault.err = ENOENT;
		/* A missing top directory is an error. */
		if (op_dir_bytes(dir, &bytes))
			continue;
		if (fault.countdown)
			break;
		assert_true(bytes <= expected);
		nr_sums++;
	}
	fault.countdown = 0;
	assert_true(nr_sums > 10);
	close(dir);
}

/*
 * A deep tree needs few descriptors, although the walk returns to each directory, which has two
 * subdirectories.
 */
static void deep_trees_need_few_descriptors(void **state)
{
	int dir = check_open_dir(state), at = dup(dir);
	struct rlimit limit, low;
	uint64_t expected = own_bytes(dir), bytes;

	for (int i = 0; i < DEPTH; i++) {
		int side = make_dir(at, "side"), next = make_dir(at, "next");

		make_file(side, "file", 1);
		expected += own_bytes(side) + own_bytes(next) + 4096;
		close(side);
		close(at);
		at = next;
	}
	close(at);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = limit;
	low.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(op_dir_bytes(dir, &bytes), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(bytes, expected);
	/*
	 * If the walk cannot return to a parent directory through "..", it finds the directory
	 * again from the top.
	 */
	for (int nr = 1; nr < 20000; nr += 97) {
		fault.countdown = nr;
		fault.err = ENOENT;
		if (!op_dir_bytes(dir, &bytes))
			assert_true(bytes <= expected);
		if (fault.countdown)
			break;
	}
	fault.countdown = 0;
	assert_int_equal(op_empty_dir(dir), 0);
	close(dir);
}

static void watched_directories_are_summed(void **state)
{
	int dir = check_open_dir(state);
	struct op_dir_sum sum = { .bytes = 0 };
	struct stat st;

	make_tree(dir);
	assert_int_equal(fstatat(dir, "a", &st, 0), 0);
	sum.watched[1].dev = st.st_dev;
	sum.watched[1].ino = st.st_ino;
	assert_int_equal(op_dir_sum_add(&sum, dir), 0);
	assert_int_equal(sum.watched_bytes, 2 * 4096);
	op_dir_sum_release(&sum);
	close(dir);
}

/* The size that is computed for a part of the tree equals the size of this part alone. */
static void part_of_walk_is_summed(void **state)
{
	int dir = check_open_dir(state), part;
	uint64_t expected = make_tree(dir), bytes;
	struct op_dir_sum sum = { .bytes = 0 };
	struct stat st;

	part = openat(dir, "a", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(fstat(part, &st), 0);
	sum.part = (struct op_dir_id){ st.st_dev, st.st_ino };
	assert_int_equal(op_dir_sum_add(&sum, dir), 0);
	assert_int_equal(sum.bytes, expected);
	assert_int_equal(op_dir_bytes(part, &bytes), 0);
	assert_int_equal(sum.part_bytes, bytes);
	op_dir_sum_release(&sum);
	close(part);
	close(dir);
}

/* A single step of the walk takes limited time, even in a directory with many entries. */
static void steps_are_limited(void **state)
{
	enum { NR = 1000 };
	int dir = check_open_dir(state), nr = 1, err;
	struct op_dir_sum sum = { .bytes = 0 };
	struct op_dir_walk *walk;
	char name[16];

	for (int i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "%d", i);
		make_file(dir, name, 1);
	}
	assert_int_equal(op_dir_walk_begin(&walk, &sum, dir), 0);
	while ((err = op_dir_walk_step(walk)) > 0)
		nr++;
	assert_int_equal(err, 0);
	assert_true(nr > NR / 100);
	assert_int_equal(op_dir_walk_step(walk), 0);
	op_dir_walk_end(walk);
	assert_int_equal(sum.bytes, own_bytes(dir) + NR * 4096);
	op_dir_sum_release(&sum);
	/* A walk that ends before the sum is complete leaks nothing. */
	assert_int_equal(op_dir_walk_begin(&walk, &sum, dir), 0);
	assert_int_equal(op_dir_walk_step(walk), 1);
	op_dir_walk_end(walk);
	op_dir_sum_release(&sum);
	op_dir_walk_end(NULL);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(hard_links_are_counted_once),
		test_in_dir(errors_are_returned),
		test_in_dir(deleted_files_are_ignored),
		test_in_dir(deep_trees_need_few_descriptors),
		test_in_dir(watched_directories_are_summed),
		test_in_dir(part_of_walk_is_summed),
		test_in_dir(steps_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
