// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_retries.c -- tests the delays after which failed operations are retried. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/base/retries.h"

static void each_object_has_own_delay(void **state)
{
	struct opd_retries r = { .nr = 0 };

	(void)state;
	assert_false(opd_retries_must_wait(&r, "a", 0));
	assert_int_equal(opd_retries_add(&r, "a", 1000), 1);
	assert_true(opd_retries_must_wait(&r, "a", 60999));
	assert_false(opd_retries_must_wait(&r, "a", 61000));
	assert_false(opd_retries_must_wait(&r, "b", 1000));
	assert_int_equal(opd_retries_add(&r, "b", 5000), 1);
	assert_int_equal(opd_retries_due(&r, 1000), 61000);
	assert_int_equal(opd_retries_due(&r, 61000), 65000);
	assert_int_equal(opd_retries_due(&r, 65000), UINT64_MAX);
	/* The delays double until half an hour is reached. */
	assert_int_equal(opd_retries_add(&r, "a", 61000), 2);
	assert_true(opd_retries_must_wait(&r, "a", 61000 + 119999));
	assert_false(opd_retries_must_wait(&r, "a", 61000 + 120000));
	for (int i = 3; i < 100; i++)
		assert_int_equal(opd_retries_add(&r, "a", 0), i);
	assert_false(opd_retries_must_wait(&r, "a", 32 * 60000));
	assert_true(opd_retries_must_wait(&r, "a", 32 * 60000 - 1));
	/* A success ends the series of failures. */
	opd_retries_remove(&r, "a");
	opd_retries_remove(&r, "a");
	assert_false(opd_retries_must_wait(&r, "a", 0));
	assert_int_equal(opd_retries_add(&r, "a", 0), 1);
	opd_retries_release(&r);
	assert_int_equal(r.nr, 0);
	assert_int_equal(opd_retries_due(&r, 0), UINT64_MAX);
}

static void removed_objects_are_forgotten(void **state)
{
	struct opd_retries r = { .nr = 0 };
	char name[16];

	(void)state;
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "%d", i);
		assert_int_equal(opd_retries_add(&r, name, 0), 1);
	}
	opd_retries_forget(&r);
	assert_int_equal(r.nr, 50);
	assert_true(opd_retries_must_wait(&r, "7", 0));
	assert_true(opd_retries_must_wait(&r, "49", 0));
	opd_retries_forget(&r);
	assert_int_equal(r.nr, 2);
	assert_true(opd_retries_must_wait(&r, "7", 0));
	assert_true(opd_retries_must_wait(&r, "49", 0));
	opd_retries_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_object_has_own_delay),
		cmocka_unit_test(removed_objects_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
