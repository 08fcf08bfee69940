// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_clean.c -- tests that any name is converted to printable UTF-8 of limited length. */
#include "config.h"
#include "tests/unit/check.h"

#include <ctype.h>

#include "libop/base/clean.h"

static void expect_clean(const char *in, const char *want)
{
	char buf[OP_CLEAN_MAX];

	assert_string_equal(op_clean(buf, sizeof(buf), in), want);
}

static void test_control_characters_are_escaped(void **state)
{
	(void)state;
	expect_clean("", "");
	expect_clean("std::vector<int>::push_back(int&&)", "std::vector<int>::push_back(int&&)");
	expect_clean("h\303\244tte \360\237\230\200", "h\303\244tte \360\237\230\200");
	expect_clean("a\tb\nc\033[31m\177", "a\\x09b\\x0ac\\x1b[31m\\x7f");
	expect_clean("\302\205\302\240", "\\xc2\\x85\302\240");
}

static void test_invalid_utf8_is_escaped(void **state)
{
	(void)state;
	expect_clean("\377\376\200", "\\xff\\xfe\\x80");
	expect_clean("\303(", "\\xc3(");
	/* an overlong encoding: two bytes for a character that needs one */
	expect_clean("\300\200", "\\xc0\\x80");
	expect_clean("\340\200\200", "\\xe0\\x80\\x80");
	/* an encoded surrogate (U+D800) is invalid */
	expect_clean("\355\240\200", "\\xed\\xa0\\x80");
	/* a code point above U+10FFFF */
	expect_clean("\364\220\200\200", "\\xf4\\x90\\x80\\x80");
	/* a noncharacter, U+FFFF */
	expect_clean("\357\277\277", "\\xef\\xbf\\xbf");
	expect_clean("\360\237\230", "\\xf0\\x9f\\x98");		/* a truncated character */
}

static void test_direction_marks_are_escaped(void **state)
{
	(void)state;
	expect_clean("a\342\200\256b", "a\\xe2\\x80\\xaeb");
	expect_clean("a\342\201\246b", "a\\xe2\\x81\\xa6b");
	expect_clean("a\342\200\250b", "a\\xe2\\x80\\xa8b");
	expect_clean("a\342\200\224b", "a\342\200\224b");	/* a dash (U+2014) is printable */
}

static void test_long_names_are_truncated(void **state)
{
	char buf[6];

	(void)state;
	assert_string_equal(op_clean(buf, sizeof(buf), "abcdefgh"), "abcde");
	assert_string_equal(op_clean(buf, sizeof(buf), "abcd\303\244"), "abcd");
	assert_string_equal(op_clean(buf, sizeof(buf), "ab\377"), "ab");
	assert_string_equal(op_clean(buf, 1, "abc"), "");
}

static void expect_put(const char *in, const char *want)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	op_put_clean(f, in, strlen(in));
	fclose(f);
	assert_string_equal(text, want);
	assert_int_equal(op_clean_columns(in), op_clean_columns(want));
	free(text);
}

/* Test each byte at each position of the 8-byte words that are checked at once. */
static void test_each_byte_at_each_place(void **state)
{
	(void)state;
	for (int byte = 1; byte < 256; byte++) {
		for (size_t at = 0; at < 20; at++) {
			char in[] = "~~ A01234567 ~89 xyz", want[sizeof(in)];

			in[at] = (char)byte;
			strcpy(want, in);
			if (byte < 0x20 || (byte >= 0x7f && byte < 0xa0))
				want[at] = '?';
			expect_put(in, want);
			assert_int_equal(op_clean_columns(in), 20);
		}
	}
}

static void test_printed_names_are_clean(void **state)
{
	(void)state;
	expect_put("", "");
	expect_put("h\303\244tte", "h\303\244tte");
	expect_put("a\033[31m\nb\tc", "a?[31m?b?c");
	expect_put("\302\233a\233b\342\200\256", "?a?b?");
	expect_put("h\344tte", "h\344tte");		/* ISO 8859-1, not valid UTF-8 */
	expect_put("\300\233\342\202",
		   "\300?\342?");	/* two incomplete characters do not become one character */
	assert_int_equal(op_clean_columns("h\303\244tte\302\233"), 6);
}

static void test_format_arguments_are_cleaned(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	op_clean_printf(f, "%s:\n  %d%%, %s\n", "a\nb\001\002", 7, "\033c");
	fclose(f);
	assert_string_equal(text, "a?b??:\n  7%, ?c\n");
	free(text);
	f = open_memstream(&text, &size);
	/* Bytes that are used internally as marks are also replaced. */
	op_clean_printf(f, "%s.\n", "\001\002\003\004\005\006\007\010\n");
	fclose(f);
	assert_string_equal(text, "?????????.?");
	free(text);
}

static void test_cleaned_text_is_stable(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char in[12], once[64], twice[64];

		for (size_t j = 0; j < sizeof(in); j++) {
			seed = seed * 1103515245 + 12345;
			in[j] = seed >> 16 & 1 ? seed >> 20 : 0xe0 | seed >> 24;
		}
		in[sizeof(in) - 1] = '\0';
		op_clean(once, sizeof(once), in);
		for (const char *s = once; *s; s++)
			assert_false(iscntrl((unsigned char)*s) && (unsigned char)*s < 0x80);
		assert_string_equal(op_clean(twice, sizeof(twice), once), once);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control_characters_are_escaped),
				cmocka_unit_test(test_invalid_utf8_is_escaped),
		cmocka_unit_test(test_direction_marks_are_escaped),
				cmocka_unit_test(test_long_names_are_truncated),
		cmocka_unit_test(test_printed_names_are_clean),
		cmocka_unit_test(test_each_byte_at_each_place),
		cmocka_unit_test(test_format_arguments_are_cleaned),
		cmocka_unit_test(test_cleaned_text_is_stable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
