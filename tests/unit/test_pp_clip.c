// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_clip.c -- names on a terminal: names that are shortened fit into the width and contain the
 * function's name. */
#include "config.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

#include "pp/format/clip.h"

static void clips(const char *name, size_t columns, const char *wanted)
{
	char buf[PP_CLIP_MAX];

	assert_string_equal(pp_clip_name(buf, name, columns), wanted);
}

static void what_fits_stays(void **state)
{
	(void)state;
	clips("main", 4, "main");
	clips("std::vector<int>::push_back(int&&)", 80, "std::vector<int>::push_back(int&&)");
	clips("std::vector<int>::push_back(int&&)", 34, "std::vector<int>::push_back(int&&)");
}

static void parameters_go_first_and_from_their_middle(void **state)
{
	static const char name[] = "ns::table<long, short>::insert(std::pair<long, short> const&, int) const";

	(void)state;
	clips(name, 71, "ns::table<long, short>::insert(std::pair<long, \xe2\x80\xa6ort> const&, int) const");
	clips(name, 50, "ns::table<long, short>::insert(std::p\xe2\x80\xa6, int) const");
	clips(name, 40, "ns::table<long, short>::insert(\xe2\x80\xa6) const");
	clips(name, 35, "ns::table<lon\xe2\x80\xa6ort>::insert(\xe2\x80\xa6) const");
	clips(name, 30, "ns::table<\xe2\x80\xa6>::insert(\xe2\x80\xa6) const");
	clips(name, 21, "\xe2\x80\xa6<\xe2\x80\xa6>::insert(\xe2\x80\xa6) const");
	clips(name, 20, "\xe2\x80\xa6>::insert(\xe2\x80\xa6) const");
}

static void the_longest_argument_goes_before_others(void **state)
{
	(void)state;
	clips("f<abcdefghij>::g<abcdefghijklmnopqrstuvwxyz>()", 30, "f<abcdefghij>::g<abcde\xe2\x80\xa6wxyz>()");
	clips("f<abcdefghij>::g<abcdefghijklmnopqrstuvwxyz>()", 20, "f<abcd\xe2\x80\xa6ghij>::g<\xe2\x80\xa6>()");
}

static void operators_are_no_brackets(void **state)
{
	(void)state;
	clips("std::ostream& std::operator<< <std::char_traits<char>>(std::ostream&, char const*)", 45,
	      "std::ostream& std::operator<< <std::\xe2\x80\xa6har>>(\xe2\x80\xa6)");
	clips("a::operator()(long parameters and more)", 18, "a::operator()(\xe2\x80\xa6)");
	clips("a::operator->(long parameters and more)", 18, "a::operator->(\xe2\x80\xa6)");
	clips("(anonymous namespace)::f(long parameters)", 30, "(anonymous namespace)::f(\xe2\x80\xa6)");
	clips("<mycrate::bar::Bar as core::fmt::Display>::fmt", 26, "<mycrate::\xe2\x80\xa6::Display>::fmt");
	clips("f::{lambda(int, long, unsigned long)#1}::operator()(int) const", 40,
	      "f::{lambda(\xe2\x80\xa6ong)#1}::operator()(\xe2\x80\xa6) const");
}

static void without_brackets_there_are_two_ways(void **state)
{
	(void)state;
	clips("one::two::three::four", 10, "\xe2\x80\xa6ree::four");
	clips("a_long_name_of_a_function_in_c", 11, "a_lon\xe2\x80\xa6_in_c");
	clips("broken>name_(of", 7, "bro\xe2\x80\xa6(of");
	clips("n\xc3\xa4me_of_some_length", 5, "n\xc3\xa4me_of_some_length");
}

static void brackets_that_do_not_match(void **state)
{
	(void)state;
	/* comparison operators in template arguments */
	clips("ns::table<(3>2), long>::insert(unsigned long, unsigned long)", 40,
	      "ns::table<(3>2), long>::insert(unsi\xe2\x80\xa6ong)");
	clips("ns::table<(3>2), long>::insert(unsigned long, unsigned long)", 30,
	      "ns::table<(3>2\xe2\x80\xa6ong>::insert(\xe2\x80\xa6)");
	clips("ns::table<((1)<(2)), long>::insert(unsigned long, unsigned long)", 30,
	      "ns::table<((1)\xe2\x80\xa6ong>::insert(\xe2\x80\xa6)");
	/* names whose ends are missing */
	clips("ns::table<long>::insert(std::pair<long, unsigned long>, std::pair<lo", 30,
	      "ns::table<long>::insert(\xe2\x80\xa6");
	clips("broken<name::of", 8, "broken<\xe2\x80\xa6");
	/* closing brackets without opening ones */
	clips("ns::less>::insert(unsigned long, unsigned long)", 30, "ns::less>::insert(unsig\xe2\x80\xa6 long)");
}

/*
 * Random text at any width is never printed wider than the width, and is read within bounds
 * (checked by ASan).
 */
static void any_text(void **state)
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

static void a_name_longer_than_the_room(void **state)
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
		cmocka_unit_test(what_fits_stays),
		cmocka_unit_test(parameters_go_first_and_from_their_middle),
		cmocka_unit_test(the_longest_argument_goes_before_others),
		cmocka_unit_test(operators_are_no_brackets),
		cmocka_unit_test(without_brackets_there_are_two_ways),
		cmocka_unit_test(brackets_that_do_not_match),
		cmocka_unit_test(any_text),
		cmocka_unit_test(a_name_longer_than_the_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
