// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_text.c -- tests numbers and names as reports print them. */
#include "config.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

#include "pp/format/percent.h"
#include "pp/format/text.h"
#include "pp/image/demangle.h"

static void percentages_are_seven_wide(void **state)
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
 * A printed share is exact to half of its last digit, and only a share of exactly 100 % is printed
 * as 100.
 */
static void what_is_almost_all_is_neither_less_nor_more(void **state)
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

static void small_percentages_are_as_printf_has_them(void **state)
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
		 * A share halfway between two printed values may be rounded in either direction,
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

static char *printed(const char *text, int width, int min)
{
	static char buf[256];
	FILE *f = fmemopen(buf, sizeof(buf), "w");

	pp_text_print(f, text, width, min);
	fclose(f);
	return buf;
}

static void names_cannot_steer_a_terminal(void **state)
{
	(void)state;
	assert_string_equal(printed("a\033[2Jb\n\177", 0, 0), "a?[2Jb??");
	assert_string_equal(printed("abc", 5, 1), "abc  ");
	assert_string_equal(printed("abcde", 5, 1), "abcde ");
	assert_string_equal(printed("abcdefgh", 5, 1), "abcdefgh ");
	/* one character of two bytes takes one column */
	assert_string_equal(printed("\303\244", 3, 0), "\303\244  ");
}

static void demangles(const char *mangled, enum pp_demangle how, const char *readable)
{
	struct pp_block *strings = NULL;
	struct pp_demangler d;

	pp_demangler_init(&d, &strings);
	assert_string_equal(pp_demangle(&d, mangled, how), readable);
	assert_int_equal(d.nr_given_up, 0);
	pp_demangler_release(&d);
	pp_block_free(strings);
}

static void names_of_cxx_and_rust(void **state)
{
	(void)state;
	demangles("main", PP_DEMANGLE_NORMAL, "main");
	demangles("_ZN3foo3barEi", PP_DEMANGLE_NORMAL, "foo::bar(int)");
	demangles("_ZN3foo3barEi", PP_DEMANGLE_NONE, "_ZN3foo3barEi");
	demangles("_ZN3foo3barEi@plt", PP_DEMANGLE_NORMAL, "foo::bar(int)@plt");
	demangles("_ZN3foo3barEi@FOO_1.0@plt", PP_DEMANGLE_NORMAL, "foo::bar(int)@FOO_1.0@plt");
	demangles("_ZN3foo3barEi@plt", PP_DEMANGLE_NONE, "_ZN3foo3barEi@plt");
	demangles("_ZN3foo3barESs@plt", PP_DEMANGLE_SMART, "foo::bar(std::string)@plt");
	demangles("write@plt", PP_DEMANGLE_NORMAL, "write@plt");
	demangles("@plt", PP_DEMANGLE_NORMAL, "@plt");
	demangles("_ZN3foo3barEi.cold", PP_DEMANGLE_NORMAL, "foo::bar(int) [clone .cold]");
	/* Rust symbols: legacy and v0 mangling */
	demangles("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", PP_DEMANGLE_NORMAL,
		  "core::fmt::Write::write_fmt");
	demangles("_RNvCs1234_7mycrate3foo", PP_DEMANGLE_NORMAL, "mycrate::foo");
	demangles("_RNvMs_NtCs1234_7mycrate3barNtB4_3Bar3run", PP_DEMANGLE_NORMAL,
		  "<mycrate::bar::Bar>::run");
	/* a name that only looks mangled stays unchanged */
	demangles("_Zfoo", PP_DEMANGLE_NORMAL, "_Zfoo");
	demangles("_ZN", PP_DEMANGLE_SMART, "_ZN");
}

static void smart(const char *name, const char *wanted)
{
	char *text = strdup(name);

	pp_smart_name(text);
	assert_string_equal(text, wanted);
	free(text);
}

static void smart_names_are_short(void **state)
{
	(void)state;
	demangles("_Z3fooNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", PP_DEMANGLE_SMART,
		  "foo(std::string)");
	demangles("_ZNSt6vectorIiSaIiEE9push_backERKi", PP_DEMANGLE_SMART,
		  "std::vector<int>::push_back(int const&)");
	demangles("_ZNSt3mapIiSt6vectorIiSaIiEESt4lessIiESaISt4pairIKiS2_EEE5clearEv",
		  PP_DEMANGLE_SMART, "std::map<int, std::vector<int>>::clear()");
	smart("std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
	      "std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > > >::"
	      "push_back(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >&&)",
	      "std::vector<std::string>::push_back(std::string&&)");
	smart("std::map<std::__1::basic_string<wchar_t, std::__1::char_traits<wchar_t>, std::__1::allocator<wchar_t> >, "
	      "int, std::__1::less<std::__1::basic_string<wchar_t, std::__1::char_traits<wchar_t>, "
	      "std::__1::allocator<wchar_t> > >, std::__1::allocator<std::__1::pair<std::__1::basic_string<wchar_t, "
	      "std::__1::char_traits<wchar_t>, std::__1::allocator<wchar_t> > const, int> > >::size() const",
	      "std::map<std::wstring, int>::size() const");
	smart("std::unordered_map<int, long, std::hash<int>, std::equal_to<int>, std::allocator<std::pair<int const, "
	      "long> > >::find(int const&)", "std::unordered_map<int, long>::find(int const&)");
	smart("f(std::unique_ptr<A<B<int> >, std::default_delete<A<B<int> > > >)", "f(std::unique_ptr<A<B<int>>>)");
	smart("f(std::shared_ptr<int>, std::__shared_ptr<int, (__gnu_cxx::_Lock_policy)2>)",
	      "f(std::shared_ptr<int>, std::__shared_ptr<int>)");
	smart("std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >("
	      "std::basic_ostream<char, std::char_traits<char> >&, char const*)",
	      "std::ostream& std::operator<< <std::char_traits<char>>(std::ostream&, char const*)");
	smart("f(std::basic_stringstream<char16_t, std::char_traits<char16_t>, std::allocator<char16_t> >&)",
	      "f(std::u16stringstream&)");
	smart("name[abi:cxx11](int)", "name(int)");
}

/* A template argument that differs from the default argument is not removed from the name. */
static void smart_names_keep_what_is_special(void **state)
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
		smart(special[i], special[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentages_are_seven_wide),
		cmocka_unit_test(what_is_almost_all_is_neither_less_nor_more),
		cmocka_unit_test(small_percentages_are_as_printf_has_them),
		cmocka_unit_test(names_cannot_steer_a_terminal),
		cmocka_unit_test(names_of_cxx_and_rust),
		cmocka_unit_test(smart_names_are_short),
		cmocka_unit_test(smart_names_keep_what_is_special),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
