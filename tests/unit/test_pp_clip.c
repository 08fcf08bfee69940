// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_clip.c -- tests that names shortened for a terminal fit into the given width and still
 * contain the function's name. */
#include "config.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

#include "pp/format/clip.h"

static void expect_clipped(const char *name, size_t columns, const char *wanted)
{
	char buf[PP_CLIP_MAX];

	assert_string_equal(pp_clip_name(buf, name, columns), wanted);
}

static void fitting_names_are_unchanged(void **state)
{
	(void)state;
	expect_clipped("main", 4, "main");
	expect_clipped("std::vector<int>::push_back(int&&)", 80,
		       "std::vector<int>::push_back(int&&)");
	expect_clipped("std::vector<int>::push_back(int&&)", 34,
		       "std::vector<int>::push_back(int&&)");
}

static void parameters_are_shortened_first(void **state)
{
	static const char name[] = "ns::table<long, short>::insert(std::pair<long, short> const&, int) const";

	(void)state;
	expect_clipped(name, 71,
		       "ns::table<long, short>::insert(std::pair<long, \xe2\x80\xa6ort> const&, int) const");
	expect_clipped(name, 50, "ns::table<long, short>::insert(std::p\xe2\x80\xa6, int) const");
	expect_clipped(name, 40, "ns::table<long, short>::insert(\xe2\x80\xa6) const");
	expect_clipped(name, 35, "ns::table<lon\xe2\x80\xa6ort>::insert(\xe2\x80\xa6) const");
	expect_clipped(name, 30, "ns::table<\xe2\x80\xa6>::insert(\xe2\x80\xa6) const");
	expect_clipped(name, 21, "\xe2\x80\xa6<\xe2\x80\xa6>::insert(\xe2\x80\xa6) const");
	expect_clipped(name, 20, "\xe2\x80\xa6>::insert(\xe2\x80\xa6) const");
}

static void longest_argument_is_shortened_first(void **state)
{
	(void)state;
	expect_clipped("f<abcdefghij>::g<abcdefghijklmnopqrstuvwxyz>()", 30,
		       "f<abcdefghij>::g<abcde\xe2\x80\xa6wxyz>()");
	expect_clipped("f<abcdefghij>::g<abcdefghijklmnopqrstuvwxyz>()", 20,
		       "f<abcd\xe2\x80\xa6ghij>::g<\xe2\x80\xa6>()");
}

static void operators_are_not_brackets(void **state)
{
	(void)state;
	expect_clipped("std::ostream& std::operator<< <std::char_traits<char>>(std::ostream&, char const*)", 45,
		       "std::ostream& std::operator<< <std::\xe2\x80\xa6har>>(\xe2\x80\xa6)");
	expect_clipped("a::operator()(long parameters and more)", 18,
		       "a::operator()(\xe2\x80\xa6)");
	expect_clipped("a::operator->(long parameters and more)", 18,
		       "a::operator->(\xe2\x80\xa6)");
	expect_clipped("(anonymous namespace)::f(long parameters)", 30,
		       "(anonymous namespace)::f(\xe2\x80\xa6)");
	expect_clipped("<mycrate::bar::Bar as core::fmt::Display>::fmt", 26,
		       "<mycrate::\xe2\x80\xa6::Display>::fmt");
	expect_clipped("f::{lambda(int, long, unsigned long)#1}::operator()(int) const", 40,
		       "f::{lambda(\xe2\x80\xa6ong)#1}::operator()(\xe2\x80\xa6) const");
}

static void names_without_brackets_are_shortened(void **state)
{
	(void)state;
	expect_clipped("one::two::three::four", 10, "\xe2\x80\xa6ree::four");
	expect_clipped("a_long_name_of_a_function_in_c", 11, "a_lon\xe2\x80\xa6_in_c");
	expect_clipped("broken>name_(of", 7, "bro\xe2\x80\xa6(of");
	expect_clipped("n\xc3\xa4me_of_some_length", 5, "n\xc3\xa4me_of_some_length");
}

static void unbalanced_brackets_are_survived(void **state)
{
	(void)state;
	/* Comparison operators in template arguments are not counted as brackets. */
	expect_clipped("ns::table<(3>2), long>::insert(unsigned long, unsigned long)", 40,
		       "ns::table<(3>2), long>::insert(unsi\xe2\x80\xa6ong)");
	expect_clipped("ns::table<(3>2), long>::insert(unsigned long, unsigned long)", 30,
		       "ns::table<(3>2\xe2\x80\xa6ong>::insert(\xe2\x80\xa6)");
	expect_clipped("ns::table<((1)<(2)), long>::insert(unsigned long, unsigned long)", 30,
		       "ns::table<((1)\xe2\x80\xa6ong>::insert(\xe2\x80\xa6)");
	/* A name whose end is missing is shortened. */
	expect_clipped("ns::table<long>::insert(std::pair<long, unsigned long>, std::pair<lo", 30,
		       "ns::table<long>::insert(\xe2\x80\xa6");
	expect_clipped("broken<name::of", 8, "broken<\xe2\x80\xa6");
	/* A name with closing brackets but no opening brackets is shortened. */
	expect_clipped("ns::less>::insert(unsigned long, unsigned long)", 30,
		       "ns::less>::insert(unsig\xe2\x80\xa6 long)");
}

/*
 * Random text is never printed wider than the given width, and is read within bounds (checked by
 * ASan).
 */
static void random_text_fits_width(void **state)
{
	static const char *const words[] = { "operator", "<", ">", "(", ")", "{", "}", "::", "->", "abcdefgh", " ",
					     "(anonymous namespace)", "x" };
	uint64_t seed = 12345;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char name[700] = "", buf[PP_CLIP_MAX];
		const char *clipped;
		size_t columns, n = 0;

		for (int w = i % 30; w >= 0; w--) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			strcat(name, words[(seed >> 33) % (sizeof(words) / sizeof(words[0]))]);
		}
		columns = 2 + (seed >> 40) % 60;
		clipped = pp_clip_name(buf, name, columns);
		for (const char *c = clipped; *c; c++)
			n += (*c & 0xc0) != 0x80;
		assert_true(n <= columns);
		if (strlen(name) > columns)
			assert_non_null(strstr(clipped, PP_CLIP_MARK));
	}
}

static void name_longer_than_buffer_is_shortened(void **state)
{
	char *name = malloc(40001), buf[PP_CLIP_MAX];

	(void)state;
	memset(name, 'n', 40000);
	strcpy(name + 39990, "::own_name");
	assert_string_equal(pp_clip_name(buf, name, 12), "\xe2\x80\xa6n::own_name");
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fitting_names_are_unchanged),
		cmocka_unit_test(parameters_are_shortened_first),
		cmocka_unit_test(longest_argument_is_shortened_first),
		cmocka_unit_test(operators_are_not_brackets),
		cmocka_unit_test(names_without_brackets_are_shortened),
		cmocka_unit_test(unbalanced_brackets_are_survived),
		cmocka_unit_test(random_text_fits_width),
		cmocka_unit_test(name_longer_than_buffer_is_shortened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
