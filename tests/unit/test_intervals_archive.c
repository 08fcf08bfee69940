// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_archive.c -- tests archives of a store of intervals: contents, hostile file names,
 * and damage of each byte.
 */
#include "config.h"
#include "intervals/archive.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "intervals/file.h"
#include "intervals/store.h"
#include "libop/base/dir.h"
#include "libop/base/hash.h"
#include "tests/unit/check.h"

#define INTERVAL	"20261129T110000Z-20261129T111000Z-0-00000001.opi"
#define KERNEL		"kernel-00000001.zst"
#define TABLE		"tables/0123abcd-1000.debug.gz"
#define MAX		100000

static const char *const names[] = { INTERVAL, KERNEL, TABLE };

static int make_file(int dir, const char *name, const void *data, size_t len)
{
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	return fd;
}

/*
 * Write an archive with three members. The contents of each member are its name. Return the
 * archive's descriptor.
 */
static int make_archive(int dir)
{
	int fd = make_file(dir, "archive", "old contents", 12);
	struct itv_archive a;

	assert_int_equal(itv_archive_begin(&a, fd), 0);
	for (size_t i = 0; i < 3; i++) {
		int from = make_file(dir, "member", names[i], strlen(names[i]));

		assert_int_equal(itv_archive_add(&a, names[i], from), 0);
		close(from);
	}
	assert_int_equal(itv_archive_end(&a), 0);
	return fd;
}

static void count_damaged(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
}

/*
 * Unpack the archive @fd to the empty directory "store". Return the error, and set *@nr_damaged to
 * the number of damaged members.
 */
static int unpack(int dir, int fd, uint64_t max, int *nr_damaged)
{
	int store, err;

	mkdirat(dir, "store", 0700);
	store = openat(dir, "store", O_RDONLY | O_DIRECTORY);
	assert_true(store >= 0);
	assert_int_equal(op_empty_dir(store), 0);
	*nr_damaged = 0;
	err = itv_archive_unpack(fd, store, max, count_damaged, nr_damaged);
	close(store);
	return err;
}

/* Return whether the contents of the unpacked member @name are its name. */
static bool member_is_unpacked(int dir, const char *name)
{
	char path[200], text[200] = "";
	int fd;

	snprintf(path, sizeof(path), "store/%s", name);
	fd = openat(dir, path, O_RDONLY | O_NOFOLLOW);
	if (fd < 0)
		return false;
	assert_true(read(fd, text, sizeof(text) - 1) >= 0);
	close(fd);
	return !strcmp(text, name);
}

static void test_members_are_unpacked_unchanged(void **state)
{
	int dir = check_open_dir(state), fd = make_archive(dir), nr;
	struct stat st;

	assert_int_equal(unpack(dir, fd, MAX, &nr), 0);
	assert_int_equal(nr, 0);
	for (size_t i = 0; i < 3; i++)
		assert_true(member_is_unpacked(dir, names[i]));
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(unpack(dir, fd, (uint64_t)st.st_size - 1, &nr), ITV_ERR_TOO_BIG);
	close(fd);
	close(dir);
}

static void test_other_member_names_are_refused(void **state)
{
	static const char *const bad[] = {
		"", ".", "..", "/etc/passwd", "../x", "tables/../x.gz", "tables/", "tables/.gz", "tables/.x.gz", "tables/a/b.gz",
		"tables/a b.gz", "tables/a", "kernel-0000001.zst", "kernel-0000000G.zst", "kernel-00000001.zst.x", "removed",
		"20261129T110000Z-20261129T111000Z-0.session", "20261129T110000Z-20261129T111000Z-0-00000001.opi/x",
		"tables/0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789.gz",
	};
	int dir = check_open_dir(state), from = make_file(dir, "member", "x", 1), fd = make_file(dir, "archive", "", 0);
	struct itv_archive a;

	assert_int_equal(itv_archive_begin(&a, fd), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (itv_archive_add(&a, bad[i], from) != -EINVAL)
			fail_msg("\"%s\" was accepted", bad[i]);
	assert_int_equal(itv_archive_add(&a, KERNEL, dir), -EINVAL);
	close(from);
	close(fd);
	close(dir);
}

/* Names of members are checked even if all checksums are correct, because a malicious archive can
 * have correct checksums. */
static void test_hostile_names(void **state)
{
	static const char *const bad[] = { "../../escaped.gzz", "/tmp/oprofile-esc", "tables/../../es.gz", "kernel-00000001.zs\0" };
	int dir = check_open_dir(state), nr;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int fd = make_archive(dir);
		uint8_t header[24], buf[256];
		uint64_t check;
		size_t len = strlen(INTERVAL), n = strlen(bad[i]);

		/*
		 * Replace the name of the first member by the hostile name. Repeat the end of the
		 * hostile name until both names have the same length.
		 */
		assert_int_equal(pread(fd, header, 24, 32), 24);
		memset(buf, 0, sizeof(buf));
		memcpy(buf, bad[i], n);
		memcpy(buf + len, INTERVAL, len);
		memset(buf + n, 'z', len - n);
		check = op_hash_bytes(OP_HASH_BEGIN, header, 16);
		check = op_hash_bytes(check, buf, 2 * len);
		for (int b = 0; b < 8; b++)
			header[16 + b] = (uint8_t)(check >> 8 * b);
		assert_int_equal(pwrite(fd, header, 24, 32), 24);
		assert_int_equal(pwrite(fd, buf, 2 * len, 56), (ssize_t)(2 * len));
		if (unpack(dir, fd, MAX, &nr) != ITV_ERR_FORMAT)
			fail_msg("%s was unpacked", bad[i]);
		close(fd);
	}
	close(dir);
}

/* Two members of the same name, and an archive as a member, are refused. */
static void test_duplicate_members_are_refused(void **state)
{
	int dir = check_open_dir(state), from = make_file(dir, "member", "x", 1), fd = make_file(dir, "archive", "", 0), nr;
	struct itv_archive a;

	assert_int_equal(itv_archive_begin(&a, fd), 0);
	assert_int_equal(itv_archive_add(&a, KERNEL, from), 0);
	assert_int_equal(itv_archive_add(&a, KERNEL, from), 0);
	assert_int_equal(itv_archive_end(&a), 0);
	assert_int_equal(unpack(dir, fd, MAX, &nr), ITV_ERR_FORMAT);
	assert_int_equal(itv_archive_begin(&a, fd), 0);
	assert_int_equal(itv_archive_end(&a), 0);
	assert_int_equal(unpack(dir, fd, MAX, &nr), 0);
	assert_int_equal(unpack(dir, dir, MAX, &nr), ITV_ERR_FORMAT);
	close(from);
	close(fd);
	close(dir);
}

/*
 * For each changed byte and each truncation, the reader returns an error, skips a damaged member,
 * or unpacks a damaged interval.
 */
static void test_damaged_archives_are_survived(void **state)
{
	int dir = check_open_dir(state), fd = make_archive(dir), nr;
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at++) {
		for (int bit = 0; bit < 8; bit++) {
			uint8_t byte, changed;
			int err, nr_right = 0;

			assert_int_equal(pread(fd, &byte, 1, at), 1);
			changed = byte ^ (uint8_t)(1 << bit);
			assert_int_equal(pwrite(fd, &changed, 1, at), 1);
			err = unpack(dir, fd, MAX, &nr);
			for (size_t i = 0; i < 3 && !err; i++)
				nr_right += member_is_unpacked(dir, names[i]);
			if (err ? err != ITV_ERR_FORMAT && err != ITV_ERR_VERSION : nr_right == 3 && !nr && at < 32)
				fail_msg("byte %ld, bit %d: %d, %d members are right", (long)at, bit, err, nr_right);
			assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		}
	}
	for (off_t len = 0; len < st.st_size; len++) {
		int err, cut = openat(dir, "cut", O_RDWR | O_CREAT | O_TRUNC, 0600);
		char buf[1024];

		assert_true(st.st_size < (off_t)sizeof(buf));
		assert_int_equal(pread(fd, buf, (size_t)len, 0), len);
		assert_int_equal(write(cut, buf, (size_t)len), len);
		err = unpack(dir, cut, MAX, &nr);
		if (err != ITV_ERR_FORMAT)
			fail_msg("%ld bytes: %d", (long)len, err);
		close(cut);
	}
	close(fd);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_members_are_unpacked_unchanged,
						check_make_dir, check_remove_dir),
		cmocka_unit_test_setup_teardown(test_other_member_names_are_refused,
						check_make_dir, check_remove_dir),
		cmocka_unit_test_setup_teardown(test_hostile_names, check_make_dir, check_remove_dir),
		cmocka_unit_test_setup_teardown(test_duplicate_members_are_refused,
						check_make_dir, check_remove_dir),
		cmocka_unit_test_setup_teardown(test_damaged_archives_are_survived,
						check_make_dir, check_remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
