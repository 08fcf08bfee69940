// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_table_files.c -- tests that one user's tables do not evict the tables of other users
 * or of root.
 */
#include "config.h"
#include "libop/session/table_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/unit/check.h"

#define MAX	(1u << 20)
#define ALICE	1000u
#define BOB	1001u

/* Write a table of 64 kB that was last used @age seconds ago. */
static void put_named(struct op_table_files *f, const char *suffix, uint32_t owner, unsigned int nr, long age)
{
	const struct timespec times[2] = { { .tv_sec = 2000000000 - age }, { .tv_sec = 2000000000 - age } };
	static const char bytes[65536] = { 1 };
	struct op_new_table new;
	char name[60];

	snprintf(name, sizeof(name), "%04x-%u.%s", nr, owner, suffix);
	assert_int_equal(op_table_files_begin(f, &new), 0);
	assert_int_equal(write(new.fd, bytes, sizeof(bytes)), (ssize_t)sizeof(bytes));
	assert_int_equal(futimens(new.fd, times), 0);
	assert_int_equal(op_table_files_end(f, &new, name), 0);
}

static void put_table(struct op_table_files *f, uint32_t owner, unsigned int nr, long age)
{
	put_named(f, "table", owner, nr, age);
}

static bool has_named(const struct op_table_files *f, const char *suffix, uint32_t owner, unsigned int nr)
{
	char name[60];

	snprintf(name, sizeof(name), "%04x-%u.%s", nr, owner, suffix);
	return faccessat(f->dir_fd, name, F_OK, 0) == 0;
}

static bool has_table(const struct op_table_files *f, uint32_t owner, unsigned int nr)
{
	return has_named(f, "table", owner, nr);
}

static unsigned int count(const struct op_table_files *f, uint32_t owner, unsigned int up_to)
{
	unsigned int found = 0;

	for (unsigned int nr = 0; nr < up_to; nr++)
		found += has_table(f, owner, nr);
	return found;
}

static void open_files(struct op_table_files *f, void **state, const char *ranges)
{
	int dir = check_open_dir(state), subuid = openat(dir, "subuid", O_WRONLY | O_CREAT | O_TRUNC, 0600), tables;
	char path[300];

	assert_int_equal(write(subuid, ranges, strlen(ranges)), (ssize_t)strlen(ranges));
	close(subuid);
	snprintf(path, sizeof(path), "%s/subuid", (char *)*state);
	mkdirat(dir, "tables", 0700);
	tables = openat(dir, "tables", O_RDONLY | O_DIRECTORY);
	assert_int_equal(op_table_files_open(f, tables, MAX, path), 0);
	op_table_files_make_room(f);
	close(dir);
}

static void test_tables_of_other_users_stay(void **state)
{
	struct op_table_files f;

	open_files(&f, state, "");
	put_table(&f, ALICE, 0, 1000);
	for (unsigned int i = 0; i < 8; i++)
		put_table(&f, 0, i, 900);
	for (unsigned int i = 0; i < 60; i++)
		put_table(&f, BOB, i, 500 - (long)i);
	assert_true(has_table(&f, ALICE, 0));
	assert_int_equal(count(&f, 0, 8), 8);
	assert_true(count(&f, BOB, 60) >= 4);
	assert_true(has_table(&f, BOB, 59));
	assert_false(has_table(&f, BOB, 0));
	assert_true(f.bytes <= MAX);
	op_table_files_close(&f);
}

/*
 * A table of another directory is linked only once, a symbolic link is refused, and the directory's
 * size limit also applies to linked tables.
 */
static void test_linked_tables_count_towards_limit(void **state)
{
	struct op_table_files f, other;
	int dir = check_open_dir(state), to;
	char name[60];

	open_files(&f, state, "");
	assert_int_equal(mkdirat(dir, "other", 0700), 0);
	to = openat(dir, "other", O_RDONLY | O_DIRECTORY);
	assert_int_equal(op_table_files_open(&other, to, MAX / 4, "/dev/null"), 0);
	for (unsigned int i = 0; i < 8; i++)
		put_table(&f, ALICE, i, 500 - (long)i);
	assert_int_equal(symlinkat("/etc/passwd", f.dir_fd, "link-0.table"), 0);
	assert_int_equal(op_table_files_link(&other, f.dir_fd, "link-0.table"), -ENOENT);
	assert_int_equal(op_table_files_link(&other, f.dir_fd, "none-0.table"), -ENOENT);
	for (unsigned int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "%04x-%u.table", i, ALICE);
		assert_int_equal(op_table_files_link(&other, f.dir_fd, name), 0);
		assert_int_equal(op_table_files_link(&other, f.dir_fd, name), 0);
	}
	assert_true(has_table(&other, ALICE, 7));
	assert_false(has_table(&other, ALICE, 0));
	assert_true(count(&other, ALICE, 8) >= 2 && other.bytes <= MAX / 4);
	/* A table stays in its own directory after its link in the other directory is evicted. */
	assert_int_equal(count(&f, ALICE, 8), 8);
	op_table_files_close(&other);
	op_table_files_close(&f);
	close(dir);
}

static void test_subordinate_ids_are_one_user(void **state)
{
	struct op_table_files f;

	open_files(&f, state, "bob:100000:65536\n");
	put_table(&f, ALICE, 0, 1000);
	put_table(&f, ALICE, 1, 1000);
	for (unsigned int i = 0; i < 60; i++)
		put_table(&f, 100000 + i, 0, 500 - (long)i);
	assert_int_equal(count(&f, ALICE, 2), 2);
	assert_true(has_table(&f, 100059, 0));
	op_table_files_close(&f);
}

/*
 * If only root has tables, root's tables may use the whole budget, and the least recently used of
 * them are evicted.
 */
static void test_root_uses_whole_budget(void **state)
{
	struct op_table_files f;

	open_files(&f, state, "");
	for (unsigned int i = 0; i < 30; i++)
		put_table(&f, 0, i, i == 3 ? 0 : 500 - (long)i);
	assert_true(count(&f, 0, 30) >= 12);
	assert_true(has_table(&f, 0, 3) && has_table(&f, 0, 29));
	assert_false(has_table(&f, 0, 0));
	op_table_files_close(&f);
}

static bool has_new(const struct op_table_files *f, const struct op_new_table *new)
{
	return faccessat(f->dir_fd, new->name, F_OK, 0) == 0;
}

/*
 * Two daemons that use one directory count each other's tables. Each daemon removes the unfinished
 * tables of a killed daemon, but not the unfinished tables of the other running daemon, even if
 * their modification times are old.
 */
static void test_two_daemons_share_directory(void **state)
{
	const struct timespec long_ago[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };
	struct op_new_table new[4];
	struct op_table_files f[2];

	open_files(&f[0], state, "");
	assert_int_equal(op_table_files_begin(&f[0], &new[0]), 0);
	assert_int_equal(op_table_files_begin(&f[0], &new[1]), 0);
	assert_int_equal(op_table_files_begin(&f[0], &new[2]), 0);
	assert_int_equal(futimens(new[2].fd, long_ago), 0);
	assert_int_equal(op_table_files_begin(&f[0], &new[3]), 0);
	close(new[3].fd);
	open_files(&f[1], state, "");
	assert_true(has_new(&f[0], &new[0]) && has_new(&f[0], &new[1]));
	assert_true(has_new(&f[0], &new[2]));
	assert_false(has_new(&f[0], &new[3]));
	assert_int_equal(op_table_files_end(&f[0], &new[0], "a-0.table"), 0);
	assert_int_equal(op_table_files_end(&f[0], &new[1], "a-0.table"), 0);
	assert_int_equal(op_table_files_end(&f[0], &new[2], NULL), 0);
	for (unsigned int i = 0; i < 14; i++)
		put_table(&f[i % 2], 0, i, 500 - (long)i);
	assert_int_equal(count(&f[0], 0, 14), 14);
	for (unsigned int i = 14; i < 40; i++)
		put_table(&f[i % 2], 0, i, 500 - (long)i);
	assert_true(count(&f[0], 0, 40) <= 17);
	assert_true(has_table(&f[0], 0, 39) && has_table(&f[0], 0, 38));
	op_table_files_close(&f[0]);
	op_table_files_close(&f[1]);
}

/*
 * Two kinds of tables in one directory share its budget, and a kind can have a smaller limit of its
 * own.
 */
static void test_two_kinds_share_budget(void **state)
{
	struct op_table_files f[2];

	for (int i = 0; i < 2; i++)
		open_files(&f[i], state, "");
	for (unsigned int i = 0; i < 8; i++) {
		put_named(&f[0], "symbols", 0, i, 900);
		put_named(&f[1], "table", 0, i, 500);
	}
	for (unsigned int i = 8; i < 14; i++)
		put_named(&f[1], "table", 0, i, 100);
	assert_int_equal(count(&f[0], 0, 14), 14);
	assert_false(has_named(&f[0], "symbols", 0, 0));
	f[0].suffix = ".table";
	f[0].own_max_bytes = 4 << 16;
	op_table_files_make_room(&f[0]);
	assert_true(count(&f[0], 0, 14) <= 4);
	assert_true(has_table(&f[0], 0, 13) || has_table(&f[0], 0, 12));
	for (int i = 0; i < 2; i++)
		op_table_files_close(&f[i]);
}

/* Return when the table was last used, which is the modification time of the table's file. */
static time_t last_use_of(const struct op_table_files *f, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(f->dir_fd, name, &st, 0), 0);
	return st.st_mtime;
}

/* The modification time of a table that is used is updated at most once an hour. */
static void test_use_updates_mtime_hourly(void **state)
{
	const time_t now = time(NULL);
	struct op_table_files f;

	open_files(&f, state, "");
	put_table(&f, 0, 1, 2000000000 - now + 60);
	put_table(&f, 0, 2, 2000000000 - now + 2 * 3600);
	assert_true(op_table_files_use(&f, "0001-0.table") && op_table_files_use(&f, "0002-0.table"));
	assert_false(op_table_files_use(&f, "0003-0.table"));
	assert_true(last_use_of(&f, "0001-0.table") == now - 60);
	assert_true(last_use_of(&f, "0002-0.table") >= now);
	op_table_files_close(&f);
}

/* A table that is so large that it would evict all other tables is refused. */
static void test_too_large_table_is_refused(void **state)
{
	struct op_new_table new;
	struct op_table_files f;

	open_files(&f, state, "");
	put_table(&f, 0, 1, 0);
	assert_int_equal(op_table_files_begin(&f, &new), 0);
	assert_int_equal(ftruncate(new.fd, MAX / 2 + 1), 0);
	assert_int_equal(op_table_files_end(&f, &new, "large-0.table"), -EFBIG);
	assert_int_equal(faccessat(f.dir_fd, new.name, F_OK, 0), -1);
	assert_true(has_table(&f, 0, 1));
	op_table_files_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_tables_of_other_users_stay),
		test_in_dir(test_linked_tables_count_towards_limit),
		test_in_dir(test_subordinate_ids_are_one_user),
		test_in_dir(test_root_uses_whole_budget),
		test_in_dir(test_two_kinds_share_budget),
		test_in_dir(test_use_updates_mtime_hourly),
		test_in_dir(test_too_large_table_is_refused),
		test_in_dir(test_two_daemons_share_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
