// SPDX-License-Identifier: GPL-2.0-or-later
/* smart_name.c -- removal of default arguments and long type names from demangled names. */
#include "config.h"
#include "pp/image/smart_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* No replacement is longer than the original. */
static const char *const shorter[][2] = {
	{ "std::__cxx11::", "std::" },
	{ "std::__1::", "std::" },	/* libc++ */
	{ ", (__gnu_cxx::_Lock_policy)2>", ">" },
};

/* Default arguments at the end of templates, in the order in which removing one makes the next the
 * last. */
static const struct {
	const char *begins;
	int of_first;		/* only if its own argument is the template's first argument */
} defaulted[] = {
	{ ", std::allocator<", 0 },	/* another type would not compile */
	{ ", std::equal_to<", 1 },
	{ ", std::hash<", 1 },
	{ ", std::less<", 1 },
	{ ", std::default_delete<", 1 },
	{ ", std::char_traits<", 1 },
};

/* std::basic_string<char> is std::string; strings of other characters have a prefix of one or more
 * letters. */
static const struct {
	const char *argument, *prefix;
} characters[] = {
	{ "<char>", "" }, { "<wchar_t>", "w" }, { "<char8_t>", "u8" }, { "<char16_t>", "u16" },
	{ "<char32_t>", "u32" },
};

static void replace_all(char *text, const char *from, const char *to)
{
	size_t n = strlen(from), m = strlen(to);
	char *p = text;

	while ((p = strstr(p, from))) {
		memcpy(p, to, m);
		memmove(p + m, p + n, strlen(p + n) + 1);
		p += m;
	}
}

/* Remove "[abi:cxx11]", which only linkers need. */
static void drop_abi_tags(char *text)
{
	char *p = text, *end;

	while ((p = strstr(p, "[abi:")) && (end = strchr(p, ']')))
		memmove(p, end + 1, strlen(end + 1) + 1);
}

/* Return the address after the bracket that closes the bracket at @p, or NULL. */
static char *behind_bracket(char *p)
{
	for (int depth = 1; *p; p++) {
		depth += (*p == '<') - (*p == '>');
		if (!depth)
			return p + 1;
	}
	return NULL;
}

/* Return whether the text between @of and @end is the first argument of the template that has @at
 * as an argument. */
static bool is_first_argument(const char *text, const char *at, const char *of, const char *end)
{
	size_t n;

	while (end > of && end[-1] == ' ')	/* "A<B> >" */
		end--;
	n = end - of;
	for (int depth = 0; at > text; at--) {
		depth += (at[-1] == '>') - (at[-1] == '<');
		if (depth < 0)
			return !strncmp(at, of, n) && at[n] == ',';
	}
	return false;
}

static void drop_defaulted(char *text, const char *begins, int of_first)
{
	char *p = text;

	while ((p = strstr(p, begins))) {
		char *of = p + strlen(begins), *end = behind_bracket(of), *behind = end;

		if (!end)
			return;
		while (*behind == ' ')
			behind++;
		if (*behind == '>' && (!of_first || is_first_argument(text, p, of, end - 1)))
			memmove(p, behind, strlen(behind) + 1);
		else
			p = of;
	}
}

/* "std::basic_NAME<wchar_t>" becomes "std::wNAME". */
static void name_by_character(char *text, const char *argument, const char *prefix)
{
	static const char basic[] = "std::basic_";
	size_t n = strlen(prefix);
	char *p = text;

	while ((p = strstr(p, basic))) {
		char *name = p + strlen(basic), *to = p + strlen("std::");
		size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
		char *behind = name + length + strlen(argument);

		p = name;
		if (strncmp(name + length, argument, strlen(argument)))
			continue;
		memcpy(to, prefix, n);
		memmove(to + n, name, length);
		memmove(to + n + length, behind, strlen(behind) + 1);
		p = to;
	}
}

void pp_smart_name(char *name)
{
	drop_abi_tags(name);
	for (size_t i = 0; i < sizeof(shorter) / sizeof(shorter[0]); i++)
		replace_all(name, shorter[i][0], shorter[i][1]);
	for (size_t i = 0; i < sizeof(defaulted) / sizeof(defaulted[0]); i++)
		drop_defaulted(name, defaulted[i].begins, defaulted[i].of_first);
	for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++)
		name_by_character(name, characters[i].argument, characters[i].prefix);
	replace_all(name, "> >", ">>");
}
