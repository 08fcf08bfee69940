// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_cpu_type.c -- the table of CPUs: numbers as sample files have them, each once.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "libop/cpu_type.h"

static void test_numbers(void **state)
{
	const struct op_cpu_desc *d;
	int i;

	(void)state;
	for (i = 0; i < 88; i++) {
		d = op_cpu_by_number(i);
		assert_non_null(d);
		assert_int_equal(d->number, i);
		assert_ptr_equal(op_cpu_by_name(d->name), d);	/* so names are unique */
		assert_true(*d->pretty);
	}
	assert_null(op_cpu_by_number(88));
	assert_null(op_cpu_by_number(-1));
	assert_null(op_cpu_by_name(""));
	assert_int_equal(op_cpu_by_name("timer")->number, OP_CPU_TIMER);
	assert_int_equal(op_cpu_by_name("x86-64/family10")->number, 35);
	assert_int_equal(op_cpu_by_name("i386/haswell")->number, 67);
}

static void test_speed(void **state)
{
	double mhz = op_cpu_speed_mhz();

	(void)state;
	assert_true(mhz == 0 || (mhz > 10 && mhz < 20000));	/* MHz, not kHz */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
