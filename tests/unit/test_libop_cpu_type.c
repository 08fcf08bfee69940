// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_cpu_type.c -- tests the table of CPUs: the numbers used in sample files are unique.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "libop/cpu/type.h"

static void test_cpu_table_is_consistent(void **state)
{
	/*
	 * Some numbers that OProfile 1.4 uses, and the first number that OProfile 1.4 does not use.
	 */
	static const struct {
		int number;
		const char *name;
	} fixed[] = {
		{ 0, "i386/ppro" }, { 4, "timer" }, { 6, "x86-64/hammer" }, { 32, "i386/core_2" },
		{ 35, "x86-64/family10" }, { 41, "i386/arch_perfmon" }, { 47, "i386/nehalem" },
		{ 53, "x86-64/family15h" }, { 57, "i386/sandybridge" }, { 67, "i386/haswell" },
		{ 69, "x86-64/generic" }, { 78, "arm/armv8-ca57" }, { 79, "arm/armv8-ca53" },
		{ 80, "i386/skylake" }, { 87, "arm/armv8-ca-thunderx2" }, { 88, "i386/icelake" },
	};
	const struct op_cpu_desc *cpu;
	size_t i;

	(void)state;
	for (i = 0; (cpu = op_cpu_row(i)); i++) {
		assert_int_equal(cpu->number, i);
		assert_ptr_equal(op_cpu_by_number(i), cpu);
		assert_ptr_equal(op_cpu_by_name(cpu->name), cpu);
		assert_true(strlen(cpu->pretty) > 2);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(op_cpu_row(j)->pretty, cpu->pretty);
		assert_int_equal(cpu->events != NULL, cpu->arch != OP_PMU_NONE);
		assert_int_equal(cpu->events != NULL, cpu->counters != 0);
		assert_int_equal(cpu->events || i == OP_CPU_TIMER, cpu->default_event != NULL);
	}
	assert_true(i > 100);
	assert_null(op_cpu_by_number(-1));
	assert_null(op_cpu_by_name(""));
	assert_null(op_cpu_by_number(i));
	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		assert_string_equal(op_cpu_by_number(fixed[i].number)->name, fixed[i].name);
}

static void test_counter_mask(void **state)
{
	(void)state;
	assert_true(op_counter_mask(4, 3) == 0x70000000fULL);
	assert_true(op_counter_mask(0, 0) == 0);
	assert_true(op_counter_mask(32, 32) == UINT64_MAX);
}

static void test_speed(void **state)
{
	double mhz = op_cpu_speed_mhz();

	(void)state;
	/* The frequency is in MHz, not in kHz. */
	assert_true(mhz == 0 || (mhz > 10 && mhz < 20000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_table_is_consistent),
		cmocka_unit_test(test_counter_mask),
		cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
