// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_table_files.c -- one user's tables do not evict the tables of other users and of root.
 */
#include "config.h"
#include "daemon/store/table_files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/check.h"

#define MAX	(1u << 20)
#define ALICE	1000u
#define BOB	1001u

/* A table of 64 kB, last used @age seconds ago. */
static void put_table(struct opd_table_files *f, uint32_t owner, unsigned int nr, long age)
{
	const struct timespec times[2] = { { .tv_sec = 2000000000 - age }, { .tv_sec = 2000000000 - age } };
	static const char bytes[65536] = { 1 };
	struct opd_new_table new;
	char name[60];

	snprintf(name, sizeof(name), "%04x-%u.table", nr, owner);
	assert_int_equal(opd_table_files_begin(f, &new), 0);
	assert_int_equal(write(new.fd, bytes, sizeof(bytes)), (ssize_t)sizeof(bytes));
	assert_int_equal(futimens(new.fd, times), 0);
	assert_int_equal(opd_table_files_end(f, &new, name), 0);
}

static bool has(const struct opd_table_files *f, uint32_t owner, unsigned int nr)
{
	char name[60];

	snprintf(name, sizeof(name), "%04x-%u.table", nr, owner);
	return faccessat(f->dir_fd, name, F_OK, 0) == 0;
}

static unsigned int count(const struct opd_table_files *f, uint32_t owner, unsigned int up_to)
{
	unsigned int found = 0;

	for (unsigned int nr = 0; nr < up_to; nr++)
		found += has(f, owner, nr);
	return found;
}

static void open_files(struct opd_table_files *f, void **state, const char *ranges)
{
	int dir = check_open_dir(state), subuid = openat(dir, "subuid", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char path[300];

	assert_int_equal(write(subuid, ranges, strlen(ranges)), (ssize_t)strlen(ranges));
	close(subuid);
	snprintf(path, sizeof(path), "%s/subuid", (char *)*state);
	assert_int_equal(opd_table_files_open(f, dir, "tables", ".table", MAX, path), 0);
	close(dir);
}

/* Alice's and root's tables are old, Bob's are new and many. */
static void test_others_stay(void **state)
{
	struct opd_table_files f;

	open_files(&f, state, "");
	put_table(&f, ALICE, 0, 1000);
	for (unsigned int i = 0; i < 8; i++)
		put_table(&f, 0, i, 900);
	for (unsigned int i = 0; i < 60; i++)
		put_table(&f, BOB, i, 500 - (long)i);
	assert_true(has(&f, ALICE, 0));
	assert_int_equal(count(&f, 0, 8), 8);
	assert_true(count(&f, BOB, 60) >= 4);
	assert_true(has(&f, BOB, 59));
	assert_false(has(&f, BOB, 0));
	assert_true(f.bytes <= MAX);
	opd_table_files_close(&f);
}

/* Subordinate ids belong to one user. */
static void test_ranges(void **state)
{
	struct opd_table_files f;

	open_files(&f, state, "bob:100000:65536\n");
	put_table(&f, ALICE, 0, 1000);
	put_table(&f, ALICE, 1, 1000);
	for (unsigned int i = 0; i < 60; i++)
		put_table(&f, 100000 + i, 0, 500 - (long)i);
	assert_int_equal(count(&f, ALICE, 2), 2);
	assert_true(has(&f, 100059, 0));
	opd_table_files_close(&f);
}

/* Root's tables alone may use all the room; the least recently used are evicted. */
static void test_root(void **state)
{
	struct opd_table_files f;

	open_files(&f, state, "");
	for (unsigned int i = 0; i < 30; i++)
		put_table(&f, 0, i, i == 3 ? 0 : 500 - (long)i);
	assert_true(count(&f, 0, 30) >= 12);
	assert_true(has(&f, 0, 3) && has(&f, 0, 29));
	assert_false(has(&f, 0, 0));
	opd_table_files_close(&f);
}

static bool has_new(const struct opd_table_files *f, const struct opd_new_table *new)
{
	return faccessat(f->dir_fd, new->name, F_OK, 0) == 0;
}

/* Two daemons use one directory: neither removes what the other one makes, and both know what both have added. */
static void test_two_daemons(void **state)
{
	const struct timespec left[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };
	struct opd_new_table new[3];
	struct opd_table_files f[2];

	open_files(&f[0], state, "");
	assert_int_equal(opd_table_files_begin(&f[0], &new[0]), 0);
	assert_int_equal(opd_table_files_begin(&f[0], &new[1]), 0);
	assert_int_equal(opd_table_files_begin(&f[0], &new[2]), 0);
	assert_int_equal(futimens(new[2].fd, left), 0);
	open_files(&f[1], state, "");
	assert_true(has_new(&f[0], &new[0]) && has_new(&f[0], &new[1]));
	assert_false(has_new(&f[0], &new[2]));
	assert_int_equal(opd_table_files_end(&f[0], &new[0], "a-0.table"), 0);
	assert_int_equal(opd_table_files_end(&f[0], &new[1], "a-0.table"), 0);
	assert_int_equal(opd_table_files_end(&f[0], &new[2], NULL), 0);
	for (unsigned int i = 0; i < 14; i++)
		put_table(&f[i % 2], 0, i, 500 - (long)i);
	assert_int_equal(count(&f[0], 0, 14), 14);
	for (unsigned int i = 14; i < 40; i++)
		put_table(&f[i % 2], 0, i, 500 - (long)i);
	assert_true(count(&f[0], 0, 40) <= 17);
	assert_true(has(&f[0], 0, 39) && has(&f[0], 0, 38));
	opd_table_files_close(&f[0]);
	opd_table_files_close(&f[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_others_stay),
		test_in_dir(test_ranges),
		test_in_dir(test_root),
		test_in_dir(test_two_daemons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
