// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_build_ids.c -- tests the file of build-ids in a session. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "libop/session/build_ids.h"

static const uint8_t one[20] = { 1, 2, 3 }, two[20] = { 0xff, 0xfe };

static void build_ids_are_read_as_written(void **state)
{
	struct op_build_ids b = { 0 }, read = { 0 };
	const struct op_build_id *e;
	int dir = check_open_dir(state);

	assert_int_equal(op_build_ids_add(&b, "/usr/bin/a b", one, 20), 0);
	assert_int_equal(op_build_ids_add(&b, "/usr/bin/a", two, 20), 0);
	assert_int_equal(op_build_ids_add(&b, "/usr/bin/a", one, 8), 0);
	assert_int_equal(op_build_ids_add(&b, "/usr/bin/a", two, 20), 0);
	assert_int_equal(b.nr, 3);
	assert_int_equal(op_build_ids_write(&b, dir), 0);
	assert_int_equal(op_build_ids_read(&read, dir), 0);
	assert_int_equal(read.nr, 3);
	assert_int_equal(op_build_ids_find(&read, "/usr/bin/a", &e), 2);
	assert_int_equal(e[0].len, 8);
	assert_int_equal(e[1].len, 20);
	assert_memory_equal(e[1].id, two, 20);
	assert_int_equal(op_build_ids_find(&read, "/usr/bin/a b", &e), 1);
	assert_memory_equal(e->id, one, 20);
	assert_int_equal(op_build_ids_find(&read, "/usr/bin", &e), 0);
	/* a second write replaces the old file */
	assert_int_equal(op_build_ids_write(&read, dir), 0);
	op_build_ids_release(&b);
	op_build_ids_release(&read);
	close(dir);
}

static void invalid_entries_are_refused(void **state)
{
	struct op_build_ids b = { 0 };

	(void)state;
	assert_int_equal(op_build_ids_add(&b, "/two\nlines", one, 20), -EINVAL);
	assert_int_equal(op_build_ids_add(&b, "", one, 20), -EINVAL);
	assert_int_equal(op_build_ids_add(&b, "/a", one, 0), -EINVAL);
	assert_int_equal(op_build_ids_add(&b, "/a", one, 21), -EINVAL);
	assert_int_equal(b.nr, 0);
	op_build_ids_release(&b);
}

static void invalid_lines_are_skipped(void **state)
{
	static const char text[] = "0102 /good\n\nnothex /bad\n01\n0102/bad\n012 /bad\n /bad\n"
				   "000102030405060708090a0b0c0d0e0f101112131415 /too/long\n"
				   "0304 /good\n05 /cut off";
	struct op_build_ids b = { 0 };
	const struct op_build_id *e;
	int dir = check_open_dir(state);
	int fd = openat(dir, OP_BUILD_IDS_FILE, O_WRONLY | O_CREAT, 0600);

	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	assert_int_equal(op_build_ids_read(&b, dir), 0);
	assert_int_equal(b.nr, 2);
	assert_int_equal(op_build_ids_find(&b, "/good", &e), 2);
	op_build_ids_release(&b);
	close(dir);
}

static void links_are_not_followed(void **state)
{
	struct op_build_ids b = { 0 };
	int dir = check_open_dir(state);
	struct stat st;

	assert_int_equal(op_build_ids_read(&b, dir), -ENOENT);
	assert_int_equal(symlinkat("/etc/passwd", dir, OP_BUILD_IDS_FILE), 0);
	assert_int_not_equal(op_build_ids_read(&b, dir), 0);
	assert_int_equal(op_build_ids_add(&b, "/a", one, 20), 0);
	assert_int_equal(symlinkat("victim", dir, OP_BUILD_IDS_FILE ".tmp"), 0);
	assert_int_equal(op_build_ids_write(&b, dir), 0);
	assert_int_equal(fstatat(dir, "victim", &st, 0), -1);
	assert_int_equal(fstatat(dir, OP_BUILD_IDS_FILE, &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISREG(st.st_mode));
	op_build_ids_release(&b);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(build_ids_are_read_as_written),
		test_in_dir(invalid_entries_are_refused),
		test_in_dir(invalid_lines_are_skipped),
		test_in_dir(links_are_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
