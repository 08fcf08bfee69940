// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_sample_header.c -- tests the header of a sample file, which has 72 bytes. */
#include "config.h"
#include "tests/unit/check.h"

#include <string.h>

#include "libop/base/error.h"
#include "libop/session/sample_header.h"

static void test_layout_equals_oprofile1(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct op_sample_header, version), 4);
	assert_int_equal(offsetof(struct op_sample_header, cpu_type), 8);
	assert_int_equal(offsetof(struct op_sample_header, ctr_event), 12);
	assert_int_equal(offsetof(struct op_sample_header, ctr_um), 16);
	assert_int_equal(offsetof(struct op_sample_header, ctr_count), 20);
	assert_int_equal(offsetof(struct op_sample_header, is_kernel), 24);
	assert_int_equal(offsetof(struct op_sample_header, cpu_speed), 32);
	assert_int_equal(offsetof(struct op_sample_header, mtime), 40);
	assert_int_equal(offsetof(struct op_sample_header, cg_to_is_kernel), 48);
	assert_int_equal(offsetof(struct op_sample_header, anon_start), 56);
	assert_int_equal(offsetof(struct op_sample_header, cg_to_anon_start), 64);
}

static void test_invalid_headers_are_refused(void **state)
{
	struct op_sample_header h;

	(void)state;
	memset(&h, 0xff, sizeof(h));
	op_sample_header_init(&h);
	assert_memory_equal(&h, "DAE\n\x13\0\0\0", 8);
	assert_int_equal(h.build, 0);
	assert_int_equal(op_sample_header_check(&h), 0);
	h.version = 0x12;
	assert_int_equal(op_sample_header_check(&h), OP_ERR_VERSION);
	memset(&h, 0, sizeof(h));
	assert_int_equal(op_sample_header_check(&h), OP_ERR_MAGIC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_equals_oprofile1),
		cmocka_unit_test(test_invalid_headers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
