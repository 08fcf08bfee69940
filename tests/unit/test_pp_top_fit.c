// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_top_fit.c -- tests names on optop's screen: control characters are replaced, and names
 * fit into their columns.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <locale.h>

#include "pp/top/fit.h"

static void check(const char *text, unsigned int columns, const char *wanted, unsigned int used)
{
	char buf[PP_TOP_FIT_MAX];

	assert_int_equal(pp_top_fit(buf, text, columns), used);
	assert_string_equal(buf, wanted);
}

static void test_utf8_names_fit_width(void **state)
{
	char text[9000], buf[PP_TOP_FIT_MAX];

	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	check("main", 10, "main", 4);
	check("main", 0, "", 0);
	check("main", 1, "m", 1);
	/* Escape sequences, C1 control characters, and changes of the text direction are replaced
	 * by "?". */
	check("a\033[2Jb\233c\rd\n", 20, "a?[2Jb?c?d?", 11);
	check("a\xe2\x80\xae" "b", 20, "a?b", 3);
	/* A character of two columns is omitted if only one column is left. */
	check("\xe6\xbc\xa2\xe5\xad\x97", 3, "\xe6\xbc\xa2", 2);
	check("\xc3\xa4\xc3\xb6", 1, "\xc3\xa4", 1);
	for (unsigned int columns = 0; columns < 40; columns++)
		assert_true(pp_top_fit(buf, "std::map<int, std::string>::insert(int, char const*)",
				       columns) <= columns);
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_true(pp_top_fit(buf, text, 100000) < PP_TOP_FIT_MAX);
}

static void test_names_in_c_locale_are_ascii(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C"));
	check("a\xc3\xa4z", 9, "a??z", 4);
	check("a\033z", 9, "a?z", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_utf8_names_fit_width),
		cmocka_unit_test(test_names_in_c_locale_are_ascii),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
