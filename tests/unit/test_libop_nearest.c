// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_nearest.c -- tests suggestions of names that are similar to a misspelt name. */
#include "config.h"
#include "tests/unit/check.h"

#include "libop/base/nearest.h"

static void test_distance_of_names(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned int distance;
	} cases[] = {
		{ "", "", 0 }, { "", "abc", 3 }, { "abc", "", 3 }, { "abc", "abc", 0 },
		{ "INST_RETIRED", "inst_retired", 0 },
		{ "INST_RETIERD", "INST_RETIRED", 1 },	/* two letters are transposed */
		{ "kitten", "sitting", 3 }, { "ab", "ba", 1 }, { "CPU_CLK", "CPU_CLKS", 1 },
		{ "abcdef", "azced", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(op_name_distance(cases[i].a, cases[i].b), cases[i].distance);
		assert_int_equal(op_name_distance(cases[i].b, cases[i].a), cases[i].distance);
	}
}

static void test_nearest_name_is_first(void **state)
{
	static const char *const names[] = {
		"BR_INST_RETIRED", "INST_RETIRED", "L2_RQSTS", "INST_RETIRED_2", "INSTX_RETIRED",
		"INST_RETIRED",	/* a name that is added twice is suggested once */
	};
	struct op_nearest nearest = { .nr = 0 };
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		op_nearest_add(&nearest, "INST_RETIRD", names[i]);
	assert_string_equal(op_nearest_text(&nearest, text, sizeof(text)),
			    " (did you mean INST_RETIRED, INSTX_RETIRED or INST_RETIRED_2?)");
}

static void test_no_similar_name_gives_no_suggestion(void **state)
{
	struct op_nearest nearest = { .nr = 0 };
	char text[200];

	(void)state;
	op_nearest_add(&nearest, "xyz", "CPU_CLK_UNHALTED");
	assert_string_equal(op_nearest_text(&nearest, text, sizeof(text)), "");
	/* the wrong name is a part of the correct name */
	op_nearest_add(&nearest, "CLK_UNHALTED", "CPU_CLK_UNHALTED");
	assert_string_equal(op_nearest_text(&nearest, text, sizeof(text)),
			    " (did you mean CPU_CLK_UNHALTED?)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance_of_names),
		cmocka_unit_test(test_nearest_name_is_first),
		cmocka_unit_test(test_no_similar_name_gives_no_suggestion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
