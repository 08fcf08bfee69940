// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_session_paths.c -- tests the paths of files in a session directory.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "libop/session/paths.h"

static void test_session_paths_are_joined(void **state)
{
	struct op_session_paths p;

	(void)state;
	assert_int_equal(op_session_paths_init(&p, NULL), 0);
	assert_string_equal(p.current, "/var/lib/oprofile/samples/current");
	assert_string_equal(p.lock, "/var/lib/oprofile/lock");
	op_session_paths_release(&p);
	op_session_paths_release(&p);
	assert_int_equal(op_session_paths_init(&p, "my dir///"), 0);
	assert_string_equal(p.dir, "my dir");
	assert_string_equal(p.samples, "my dir/samples");
	assert_string_equal(p.log, "my dir/samples/oprofiled.log");
	assert_string_equal(p.control, "my dir/control");
	assert_string_equal(p.abi, "my dir/abi");
	op_session_paths_release(&p);
	assert_int_equal(op_session_paths_init(&p, "/"), 0);
	assert_string_equal(p.samples, "/samples");
	op_session_paths_release(&p);
	assert_int_equal(op_session_paths_init(&p, ""), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_session_paths_are_joined) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
