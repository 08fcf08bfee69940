// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_new_names.c -- tests the list of names of new files: names are stored only while a
 * reader asks for them, and their number is limited.
 */
#include "config.h"
#include "daemon/base/new_names.h"

#include "tests/unit/check.h"

static void add(struct opd_new_names *n, unsigned int nr)
{
	char name[40];

	while (nr--) {
		snprintf(name, sizeof(name), "file %llu", (unsigned long long)n->next);
		opd_new_names_add(n, name);
	}
}

static void expect_name(const struct opd_new_names *n, uint64_t number)
{
	char name[40];

	snprintf(name, sizeof(name), "file %llu", (unsigned long long)number);
	assert_string_equal(opd_new_names_get(n, number), name);
}

static void test_names_are_only_counted_without_reader(void **state)
{
	struct opd_new_names n = { .next = 7, .first = 7 };

	(void)state;
	add(&n, 3);
	assert_int_equal(n.next, 10);
	for (size_t i = 0; i < OPD_NEW_NAMES; i++)
		assert_null(n.names[i]);
	assert_null(opd_new_names_get(&n, 7));
	assert_null(opd_new_names_get(&n, 10));
	opd_new_names_add(NULL, "no list");
	opd_new_names_release(&n);
}

static void test_names_are_kept_after_request(void **state)
{
	struct opd_new_names n = { .next = 0 };

	(void)state;
	add(&n, 1);
	opd_new_names_request(&n);
	add(&n, 2);
	assert_null(opd_new_names_get(&n, 0));
	expect_name(&n, 1);
	expect_name(&n, 2);
	assert_null(opd_new_names_get(&n, 3));
	assert_null(opd_new_names_get(&n, UINT64_MAX));
	opd_new_names_release(&n);
	assert_null(opd_new_names_get(&n, 2));
}

static void test_newest_names_are_kept(void **state)
{
	struct opd_new_names n = { .next = 0 };

	(void)state;
	for (int i = 0; i < 5; i++) {
		opd_new_names_request(&n);
		add(&n, OPD_NEW_NAMES - 1);
	}
	assert_null(opd_new_names_get(&n, n.next - OPD_NEW_NAMES - 1));
	expect_name(&n, n.next - OPD_NEW_NAMES);
	expect_name(&n, n.next - 1);
	opd_new_names_release(&n);
}

static void test_names_are_freed_when_reader_stops(void **state)
{
	struct opd_new_names n = { .next = 0 };

	(void)state;
	opd_new_names_request(&n);
	add(&n, OPD_NEW_NAMES);
	expect_name(&n, 0);
	add(&n, 1);
	for (size_t i = 0; i < OPD_NEW_NAMES; i++)
		assert_null(n.names[i]);
	assert_null(opd_new_names_get(&n, 1));
	opd_new_names_request(&n);
	add(&n, 1);
	assert_null(opd_new_names_get(&n, OPD_NEW_NAMES));
	expect_name(&n, OPD_NEW_NAMES + 1);
	opd_new_names_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_only_counted_without_reader),
		cmocka_unit_test(test_names_are_kept_after_request),
		cmocka_unit_test(test_newest_names_are_kept),
		cmocka_unit_test(test_names_are_freed_when_reader_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
