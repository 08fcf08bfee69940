// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_shares.c -- tests that a process is charged to the user who started it, whatever its
 * present user id.
 */
#include "config.h"
#include "daemon/base/shares.h"

#include "tests/unit/check.h"

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static struct opd_shares *create(const char *dir)
{
	static const char *const processes[][2] = {
		/* The process currently has the effective user id of root. */
		{ "10", "Name:\ta\nUid:\t1000\t0\t0\t0\n" },
		{ "11", "Name:\tUid: 0\nUid:\t100005\t100005\t100005\t100005\n" },
		{ "12", "Name:\tb\nUid:\t0\t1000\t1000\t1000\n" },
		{ "13", "Name:\tc\nUid:\t165000\t165000\t165000\t165000\n" },
	};
	struct opd_shares *s;
	char path[300];

	write_file(dir, "subuid", "alice:100000:65536\n");
	for (size_t i = 0; i < sizeof(processes) / sizeof(processes[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, processes[i][0]);
		assert_int_equal(mkdir(path, 0700), 0);
		write_file(path, "status", processes[i][1]);
	}
	snprintf(path, sizeof(path), "%s/subuid", dir);
	s = opd_shares_create(dir, path);
	assert_non_null(s);
	return s;
}

static void process_is_charged_to_starting_user(void **state)
{
	struct opd_shares *s = create(*state);
	struct opd_share *user;

	user = opd_shares_find(s, 10, 1);
	assert_non_null(user);
	assert_int_equal(user->uid, 1000);
	assert_int_equal(opd_shares_find(s, 11, 1)->uid, 100000);
	/* The user ids of one range count as one user. */
	assert_ptr_equal(opd_shares_find(s, 13, 1), opd_shares_find(s, 11, 1));
	assert_null(opd_shares_find(s, 12, 1001));
	assert_null(opd_shares_find(s, 0, 0));
	/* An ended process is charged to its program's owner; any user may run root's programs. */
	assert_ptr_equal(opd_shares_find(s, 99, 1001), user);
	assert_non_null(opd_shares_find(s, 99, 1));
	assert_ptr_equal(opd_shares_find(s, 98, 1), opd_shares_find(s, 97, 0));
	opd_shares_destroy(s);
}

/*
 * If user ids without a share fill the table, known users keep their shares, and all other users
 * have one common share.
 */
static void later_users_share_one_share_when_table_is_full(void **state)
{
	struct opd_shares *s = create(*state);
	struct opd_share *first = opd_shares_find(s, 1000, 7);

	for (uint32_t i = 0; i < 5000; i++)
		assert_non_null(opd_shares_find(s, 2000 + (int32_t)i, 200000 + i));
	assert_ptr_equal(opd_shares_find(s, 9000, 300000), opd_shares_find(s, 9001, 300001));
	assert_ptr_equal(opd_shares_find(s, 9002, 7), first);
	opd_shares_destroy(s);
}

static void user_gets_three_quarters_of_remaining_budget(void **state)
{
	const struct opd_share nobody = { 0 };
	uint64_t left = 1000, taken[3] = { 0 };

	(void)state;
	for (int user = 0; user < 3; user++)
		for (; opd_share_may(&nobody, taken[user], left); left--)
			taken[user]++;
	assert_int_equal(taken[0], 750);
	assert_in_range(taken[1], 185, 190);
	assert_in_range(left, 10, 20);
	assert_true(opd_share_may(NULL, 0, left));
	assert_false(opd_share_may(NULL, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(process_is_charged_to_starting_user),
		test_in_dir(later_users_share_one_share_when_table_is_full),
		cmocka_unit_test(user_gets_three_quarters_of_remaining_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
