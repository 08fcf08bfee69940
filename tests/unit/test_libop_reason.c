// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_reason.c -- tests that error messages are composed, truncated and sanitized, and are
 * never empty. */
#include "config.h"
#include "libop/base/reason.h"

#include <errno.h>

#include "libop/base/error.h"
#include "tests/unit/check.h"

static void test_error_code_is_returned(void **state)
{
	struct op_reason error = { "" };

	(void)state;
	assert_int_equal(op_fail(&error, -EBUSY, "%s is taken", "it"), -EBUSY);
	assert_string_equal(error.text, "it is taken");
	assert_int_equal(op_fail(NULL, OP_ERR_MAGIC, "nobody hears %d", 1), OP_ERR_MAGIC);
}

static void test_reason_may_contain_itself(void **state)
{
	struct op_reason error = { "" };

	(void)state;
	op_fail(&error, -EIO, "the disk is gone");
	op_fail(&error, -EIO, "cannot write: %s", error.text);
	assert_string_equal(error.text, "cannot write: the disk is gone");
}

static void test_control_characters_of_arguments_are_cleaned(void **state)
{
	struct op_reason error = { "" };

	(void)state;
	op_fail(&error, -EINVAL, "no file %s\nsecond line", "\033[2Jx\ny");
	assert_string_equal(error.text, "no file ?[2Jx?y\nsecond line");
}

static void test_long_reason_is_truncated(void **state)
{
	char name[3 * sizeof(struct op_reason)];
	struct op_reason error = { "" };

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	op_fail(&error, -EINVAL, "%s", name);
	assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
	assert_string_equal(error.text + sizeof(error.text) - 5, "x...");
}

static void test_empty_reason_has_error_text(void **state)
{
	struct op_reason error = { "" };

	(void)state;
	assert_string_equal(op_reason_text(&error, -ENOMEM), op_strerror(-ENOMEM));
	assert_string_equal(op_reason_text(&error, OP_ERR_KSYMS), op_strerror(OP_ERR_KSYMS));
	op_fail(&error, -ENOMEM, "a reason");
	assert_string_equal(op_reason_text(&error, -ENOMEM), "a reason");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_code_is_returned),
		cmocka_unit_test(test_reason_may_contain_itself),
		cmocka_unit_test(test_control_characters_of_arguments_are_cleaned),
		cmocka_unit_test(test_long_reason_is_truncated),
		cmocka_unit_test(test_empty_reason_has_error_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
