// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_module_foreign.c -- tests the list of new files of containers that wait for a report
 * (module/foreign.h): the places of one user, of several users, and of root.
 */
#include "config.h"

#include "unit/check.h"

#include "foreign.h"

static struct oprofile_foreign list;
static u64 last_cookie;

static bool add(u64 payer)
{
	const struct oprofile_foreign_file file = {
		.cookie = ++last_cookie, .payer = payer, .tgid = 7,
	};

	return oprofile_foreign_add(&list, &file);
}

/* Try to add @nr files of @payer. Return how many have been added. */
static int add_many(u64 payer, int nr)
{
	int added = 0;

	while (nr--)
		added += add(payer);
	return added;
}

static int take_all(void)
{
	struct oprofile_foreign_file file;
	int nr = 0;

	while (oprofile_foreign_take(&list, &file)) {
		assert_int_equal(file.tgid, 7);
		nr++;
	}
	assert_false(oprofile_foreign_any(&list));
	return nr;
}

static void one_file(void **state)
{
	struct oprofile_foreign_file file;

	(void)state;
	assert_false(oprofile_foreign_any(&list));
	assert_true(add(1000));
	assert_true(oprofile_foreign_any(&list));
	assert_true(oprofile_foreign_take(&list, &file));
	assert_int_equal(file.cookie, last_cookie);
	assert_int_equal(file.payer, 1000);
	assert_false(oprofile_foreign_take(&list, &file));
}

/* One user with any number of files leaves places for other users and for root. */
static void one_user(void **state)
{
	(void)state;
	assert_int_equal(add_many(1000, 1000), OPROFILE_MAX_FOREIGN / 2);
	assert_true(add(1001));
	assert_true(add(0));
	assert_int_equal(take_all(), OPROFILE_MAX_FOREIGN / 2 + 2);
	/* after a report, the user has places again */
	assert_int_equal(add_many(1000, 1000), OPROFILE_MAX_FOREIGN / 2);
	take_all();
}

/* All users together leave a quarter of the places for root. */
static void many_users(void **state)
{
	int added = 0;

	(void)state;
	for (u64 user = 1; user <= 100; user++)
		added += add_many(user, 10);
	assert_int_equal(added, OPROFILE_MAX_FOREIGN * 3 / 4);
	assert_int_equal(add_many(0, 1000), OPROFILE_MAX_FOREIGN / 4);
	assert_int_equal(take_all(), OPROFILE_MAX_FOREIGN);
}

/* Root alone may use all places. */
static void root_alone(void **state)
{
	(void)state;
	assert_int_equal(add_many(0, 1000), OPROFILE_MAX_FOREIGN);
	assert_false(add(1000));
	assert_int_equal(take_all(), OPROFILE_MAX_FOREIGN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_file),
		cmocka_unit_test(one_user),
		cmocka_unit_test(many_users),
		cmocka_unit_test(root_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
