// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_text.c -- tests the numbers and names that reports print. */
#include "config.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

#include "pp/format/percent.h"
#include "pp/format/text.h"
#include "pp/image/demangle.h"

static void percentages_have_seven_columns(void **state)
{
	static const struct {
		uint64_t part, total;
		const char *text;
	} rows[] = {
		{0, 10, "      0"},
		{0, 0, "      0"},
		{5, 0, "      0"},
		{10, 10, "100.000"},
		{1, 3, "33.3333"},
		{1, 100, " 1.0000"},
		{1, 100000, " 0.0010"},
		{1, 200000, "5.0e-04"},
		{1, 1000000000000, "1.0e-10"},
		{9999999, 10000000, "99.99999"},
		{1999999, 2000000, "99.99995"},
		{99999961, 100000000, "99.99996"},
		{99999994, 100000000, "99.99999"},
		{199999999999, 200000000000, "99.9999999995"},
		{UINT64_MAX - 1, UINT64_MAX, "99.99999999999999999"},
		{999998, 999999, "99.9999"},
		{999999, 1000000, "99.9999"},
		{86688, 100000, "86.6880"},
		{UINT64_MAX, UINT64_MAX, "100.000"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char buf[PP_PERCENT_SIZE];

		pp_percent(buf, rows[i].part, rows[i].total);
		assert_string_equal(buf, rows[i].text);
	}
}

/*
 * A printed percentage is exact to half of its last digit, and only exactly 100 % is printed as
 * 100.
 */
static void percentages_are_rounded_exactly(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		char buf[PP_PERCENT_SIZE], *dot;
		long double read, is, digit;
		uint64_t part, total;

		random = random * 6364136223846793005u + 1442695040888963407u;
		total = 1 + (random >> 8 >> (random & 31));
		part = total - 1 - (random >> 32) % (total / 1000000 + 1);
		pp_percent(buf, part, total);
		read = strtold(buf, NULL);
		is = 100.0L * part / total;
		dot = strchr(buf, '.');
		digit = 1;
		for (dot = dot ? dot + 1 : buf + strlen(buf); *dot; dot++)
			digit /= 10;
		if (is < 1)
			continue;
		assert_true(read < 100);
		assert_true(read - is <= digit * 0.5000001L && is - read <= digit * 0.5000001L);
	}
}

static void small_percentages_equal_printf(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		char buf[PP_PERCENT_SIZE], expected[32];
		uint64_t part, total;

		random = random * 6364136223846793005u + 1442695040888963407u;
		total = random >> (random >> 59);
		part = random >> 35;
		part = total / 100000 ? part % (total / 100000) : 0;
		/*
		 * A percentage halfway between two printed values may be rounded up or down,
		 * because printf rounds the nearest double.
		 */
		if (!part || (part * 2) % 10 == 0)
			continue;
		pp_percent(buf, part, total);
		snprintf(expected, sizeof(expected), "%.1e", 100.0 * part / total);
		if (strcmp(buf, expected)) {
			double ours = strtod(buf, NULL), theirs = strtod(expected, NULL),
			       is = 100.0 * part / total;

			assert_true((ours - is) * (ours - is) <=
				    (theirs - is) * (theirs - is) * 1.000001);
		}
	}
}

static char *print_text(const char *text, int width, int min)
{
	static char buf[256];
	FILE *f = fmemopen(buf, sizeof(buf), "w");

	pp_text_print(f, text, width, min);
	fclose(f);
	return buf;
}

static void control_characters_are_replaced(void **state)
{
	(void)state;
	assert_string_equal(print_text("a\033[2Jb\n\177", 0, 0), "a?[2Jb??");
	assert_string_equal(print_text("abc", 5, 1), "abc  ");
	assert_string_equal(print_text("abcde", 5, 1), "abcde ");
	assert_string_equal(print_text("abcdefgh", 5, 1), "abcdefgh ");
	/* A character of two bytes counts as one column. */
	assert_string_equal(print_text("\303\244", 3, 0), "\303\244  ");
}

static void expect_demangled(const char *mangled, enum pp_demangle how, const char *readable)
{
	struct pp_block *strings = NULL;
	struct pp_demangler d;

	pp_demangler_init(&d, &strings);
	assert_string_equal(pp_demangle(&d, mangled, how), readable);
	assert_int_equal(d.nr_given_up, 0);
	pp_demangler_release(&d);
	pp_block_free(strings);
}

static void cxx_and_rust_names_are_demangled(void **state)
{
	(void)state;
	expect_demangled("main", PP_DEMANGLE_NORMAL, "main");
	expect_demangled("_ZN3foo3barEi", PP_DEMANGLE_NORMAL, "foo::bar(int)");
	expect_demangled("_ZN3foo3barEi", PP_DEMANGLE_NONE, "_ZN3foo3barEi");
	expect_demangled("_ZN3foo3barEi@plt", PP_DEMANGLE_NORMAL, "foo::bar(int)@plt");
	expect_demangled("_ZN3foo3barEi@FOO_1.0@plt", PP_DEMANGLE_NORMAL,
			 "foo::bar(int)@FOO_1.0@plt");
	expect_demangled("_ZN3foo3barEi@plt", PP_DEMANGLE_NONE, "_ZN3foo3barEi@plt");
	expect_demangled("_ZN3foo3barESs@plt", PP_DEMANGLE_SMART, "foo::bar(std::string)@plt");
	expect_demangled("write@plt", PP_DEMANGLE_NORMAL, "write@plt");
	expect_demangled("@plt", PP_DEMANGLE_NORMAL, "@plt");
	expect_demangled("_ZN3foo3barEi.cold", PP_DEMANGLE_NORMAL, "foo::bar(int) [clone .cold]");
	/* Rust symbols of both mangling schemes, legacy and v0, are demangled. */
	expect_demangled("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", PP_DEMANGLE_NORMAL,
			 "core::fmt::Write::write_fmt");
	expect_demangled("_RNvCs1234_7mycrate3foo", PP_DEMANGLE_NORMAL, "mycrate::foo");
	expect_demangled("_RNvMs_NtCs1234_7mycrate3barNtB4_3Bar3run", PP_DEMANGLE_NORMAL,
			 "<mycrate::bar::Bar>::run");
	/* A name that only looks mangled stays unchanged. */
	expect_demangled("_Zfoo", PP_DEMANGLE_NORMAL, "_Zfoo");
	expect_demangled("_ZN", PP_DEMANGLE_SMART, "_ZN");
}

static void expect_smart(const char *name, const char *wanted)
{
	char *text = strdup(name);

	pp_smart_name(text);
	assert_string_equal(text, wanted);
	free(text);
}

static void smart_names_omit_default_arguments(void **state)
{
	(void)state;
	expect_demangled("_Z3fooNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
			 PP_DEMANGLE_SMART, "foo(std::string)");
	expect_demangled("_ZNSt6vectorIiSaIiEE9push_backERKi", PP_DEMANGLE_SMART,
			 "std::vector<int>::push_back(int const&)");
	expect_demangled("_ZNSt3mapIiSt6vectorIiSaIiEESt4lessIiESaISt4pairIKiS2_EEE5clearEv",
			 PP_DEMANGLE_SMART, "std::map<int, std::vector<int>>::clear()");
	expect_smart("std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
		     "std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > > >::"
		     "push_back(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >&&)",
		     "std::vector<std::string>::push_back(std::string&&)");
	expect_smart("std::map<std::__1::basic_string<wchar_t, std::__1::char_traits<wchar_t>, std::__1::allocator<wchar_t> >, "
		     "int, std::__1::less<std::__1::basic_string<wchar_t, std::__1::char_traits<wchar_t>, "
		     "std::__1::allocator<wchar_t> > >, std::__1::allocator<std::__1::pair<std::__1::basic_string<wchar_t, "
		     "std::__1::char_traits<wchar_t>, std::__1::allocator<wchar_t> > const, int> > >::size() const",
		     "std::map<std::wstring, int>::size() const");
	expect_smart("std::unordered_map<int, long, std::hash<int>, std::equal_to<int>, std::allocator<std::pair<int const, "
		     "long> > >::find(int const&)",
		     "std::unordered_map<int, long>::find(int const&)");
	expect_smart("f(std::unique_ptr<A<B<int> >, std::default_delete<A<B<int> > > >)",
		     "f(std::unique_ptr<A<B<int>>>)");
	expect_smart("f(std::shared_ptr<int>, std::__shared_ptr<int, (__gnu_cxx::_Lock_policy)2>)",
		     "f(std::shared_ptr<int>, std::__shared_ptr<int>)");
	expect_smart("std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >("
		     "std::basic_ostream<char, std::char_traits<char> >&, char const*)",
		     "std::ostream& std::operator<< <std::char_traits<char>>(std::ostream&, char const*)");
	expect_smart("f(std::basic_stringstream<char16_t, std::char_traits<char16_t>, std::allocator<char16_t> >&)",
		     "f(std::u16stringstream&)");
	expect_smart("name[abi:cxx11](int)", "name(int)");
}

/* A template argument stays in the name if it differs from the parameter's default. */
static void smart_names_keep_other_arguments(void **state)
{
	static const char *const special[] = {
		"std::map<int, int, std::less<void>>::clear()",
		"std::map<int, int, std::greater<int>>::clear()",
		"std::unordered_set<int, std::hash<long>>::clear()",
		"f(std::basic_string<char, my_traits>)",
		"f(std::unique_ptr<int, std::default_delete<long>>)",
		"f(std::allocator<int>, std::allocator<",
		"f(std::basic_", "[abi:", "std::less<", "f<a, std::less<", ", std::allocator<", "",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		expect_smart(special[i], special[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentages_have_seven_columns),
		cmocka_unit_test(percentages_are_rounded_exactly),
		cmocka_unit_test(small_percentages_equal_printf),
		cmocka_unit_test(control_characters_are_replaced),
		cmocka_unit_test(cxx_and_rust_names_are_demangled),
		cmocka_unit_test(smart_names_omit_default_arguments),
		cmocka_unit_test(smart_names_keep_other_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
