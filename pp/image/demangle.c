// SPDX-License-Identifier: GPL-2.0-or-later
/* demangle.c -- asks libiberty, then shortens. */
#include "config.h"
#include "pp/image/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MANGLED	16384	/* longer names are no compiler's */

/* What "smart" replaces, in this order, until nothing changes. */
static const char *const shorter[][2] = {
	{"std::__cxx11::", "std::"},
	{"std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
	{"std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >",
	 "std::wstring"},
	{"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"},
	{"std::basic_ostream<char, std::char_traits<char> >", "std::ostream"},
	{"std::basic_istream<char, std::char_traits<char> >", "std::istream"},
	{"std::basic_iostream<char, std::char_traits<char> >", "std::iostream"},
	{"std::basic_ostringstream<char, std::char_traits<char>, std::allocator<char> >",
	 "std::ostringstream"},
	{"std::basic_stringstream<char, std::char_traits<char>, std::allocator<char> >",
	 "std::stringstream"},
};

/* ", std::allocator<T> >" and ", std::less<T> >" say what is so anyway. */
static const char *const defaulted[] = {", std::allocator<", ", std::less<",
					", std::default_delete<"};

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

/* Removes DEFAULT<...> with its balanced brackets, when it is a template's last argument. */
static void drop_defaulted(char *text, const char *word)
{
	char *p = text;

	while ((p = strstr(p, word))) {
		char *q = p + strlen(word);
		int depth = 1;

		while (*q && depth) {
			depth += (*q == '<') - (*q == '>');
			q++;
		}
		if (depth)
			return;
		while (*q == ' ')
			q++;
		if (*q == '>')
			memmove(p, q, strlen(q) + 1);
		else
			p = q;
	}
}

static void shorten(char *text)
{
	for (size_t i = 0; i < sizeof(shorter) / sizeof(shorter[0]); i++)
		replace_all(text, shorter[i][0], shorter[i][1]);
	for (size_t i = 0; i < sizeof(defaulted) / sizeof(defaulted[0]); i++)
		drop_defaulted(text, defaulted[i]);
}

char *pp_demangle(const char *name, enum pp_demangle how)
{
	char *text = NULL;

	if (how != PP_DEMANGLE_NONE && strlen(name) < MAX_MANGLED)
		text = cplus_demangle(name, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
	if (!text)
		return strdup(name);
	if (how == PP_DEMANGLE_SMART)
		shorten(text);
	return text;
}
