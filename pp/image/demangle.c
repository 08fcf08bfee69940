// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demangle.c -- demangling of names: C++ and Rust by libiberty, D and OCaml by own code; and
 * shortening of C++ names.
 */
#include "config.h"
#include "pp/image/demangle.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "pp/image/demangle_guard.h"

/* Removal of default template arguments and shortening of type names in demangled C++ names. */

/* Substrings of C++ names, and their replacements. A replacement must not be longer, because names
 * are changed in place. */
static const char *const shorter[][2] = {
	{ "std::__cxx11::", "std::" },
	{ "std::__1::", "std::" },	/* inline namespace of libc++ */
	{ ", (__gnu_cxx::_Lock_policy)2>", ">" },
};

/* Default template arguments, in the order of removal. Only the last argument of a template can be
 * removed, so arguments that come later in a template precede in this array. */
static const struct {
	const char *begins;
	/* remove the argument only if its own template argument equals the first argument of the
	 * enclosing template */
	bool of_first;
} defaulted[] = {
	/* An allocator's own template argument need not be compared: the program compiles only if
	 * it is the element type. */
	{ ", std::allocator<", 0 },
	{ ", std::equal_to<", 1 },
	{ ", std::hash<", 1 },
	{ ", std::less<", 1 },
	{ ", std::default_delete<", 1 },
	{ ", std::char_traits<", 1 },
};

/* For each character type, the prefix in short type names: std::basic_string<wchar_t> is
 * std::wstring. */
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

/* Remove ABI tags such as "[abi:cxx11]", which only linkers need, from a demangled name. */
static void drop_abi_tags(char *text)
{
	char *p = text, *end;

	while ((p = strstr(p, "[abi:")) && (end = strchr(p, ']')))
		memmove(p, end + 1, strlen(end + 1) + 1);
}

/* @p is after an opening bracket. Return the address after the matching closing bracket, or
 * NULL. */
static char *after_bracket(char *p)
{
	for (int depth = 1; *p; p++) {
		depth += (*p == '<') - (*p == '>');
		if (!depth)
			return p + 1;
	}
	return NULL;
}

/* Return whether the text from @of to @end equals the first argument of a template. @at: another
 * argument of that template. */
static bool is_first_argument(const char *text, const char *at, const char *of, const char *end)
{
	size_t n;

	while (end > of && end[-1] == ' ')	/* old compilers write a blank, as in "A<B> >" */
		end--;
	n = end - of;
	for (int depth = 0; at > text; at--) {
		depth += (at[-1] == '>') - (at[-1] == '<');
		if (depth < 0)
			return !strncmp(at, of, n) && at[n] == ',';
	}
	return false;
}

static void drop_defaulted(char *text, const char *begins, bool of_first)
{
	char *p = text;

	while ((p = strstr(p, begins))) {
		char *of = p + strlen(begins), *end = after_bracket(of), *behind = end;

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

/* Replace "std::basic_NAME" and @argument, such as "<wchar_t>", by "std::", @prefix, such as "w",
 * and NAME. */
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

/*
 * The following functions demangle names of OCaml functions.
 *
 * The function map of List is "camlStdlib__List__map_355", or "camlStdlib.List.map_355" from OCaml
 * 5.1 on. The number distinguishes functions of the same name. ocamlopt writes characters that
 * assemblers reject as "$" and two hex digits.
 */

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Return the OCaml name in source notation, with the number, malloc'd. Return NULL if out of
 * memory, or if @name is not an OCaml name. */
static char *ocaml_name(const char *name)
{
	static const char prefix[] = "caml";
	size_t n = strlen(prefix);
	char *text, *to;

	/* A module's name begins with a capital letter. caml_NAME is a function of the run-time
	 * system. */
	if (strncmp(name, prefix, n) || name[n] < 'A' || name[n] > 'Z')
		return NULL;
	name += n;
	if (!strstr(name, "__") && !strchr(name, '.'))
		return NULL;
	to = text = malloc(strlen(name) + 1);
	if (!text)
		return NULL;
	while (*name) {
		int high = name[0] == '$' ? hex(name[1]) : -1, low = high < 0 ? -1 : hex(name[2]);
		int byte = high << 4 | low;

		if (low >= 0 && byte >= ' ' && byte <= '~') {
			*to++ = byte;
			name += 3;
		} else if (name[0] == '_' && name[1] == '_' && name[2]) {
			*to++ = '.';
			name += 2;
		} else {
			*to++ = *name++;
		}
	}
	*to = '\0';
	return text;
}

/*
 * Names of D functions: _D3app4workFiZv is app.work.
 *
 * libiberty's D demangler is not used. It allocates memory, so a timer must not interrupt it; and
 * its time and output can grow exponentially with back references and nested types. This code
 * decodes only the qualified name, without parameters. The result is shorter than the mangled name,
 * and the time is linear.
 */

#define MAX_IDENTIFIER	4096	/* maximum length of a D identifier, in bytes */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c & 0x80;
}

/* Parse an identifier at *@name: a length, and as many characters. Advance *@name to the end of the
 * identifier. Return NULL if *@name is not at an identifier. */
static const char *next_identifier(const char **name, size_t *ret_len)
{
	const char *p = *name;
	size_t len = 0;

	if (*p == '0')
		return NULL;
	while (is_digit(*p) && len < MAX_IDENTIFIER)
		len = 10 * len + (*p++ - '0');
	if (!len || len >= MAX_IDENTIFIER || !is_letter(*p))
		return NULL;
	for (size_t i = 0; i < len; i++)
		if (!is_letter(p[i]) && !is_digit(p[i]))
			return NULL;
	/* Refuse a template, which old compilers encode with __T or __U. */
	if (!strncmp(p, "__T", 3) || !strncmp(p, "__U", 3))
		return NULL;
	*ret_len = len;
	*name = p + len;
	return p;
}

/* Return whether @type is a function type without digits and back references. After any other type,
 * the name of a nested function may follow. */
static bool is_plain_function(const char *type)
{
	type += *type == 'M';			/* M: a method, with `this` */
	/* skip x, y and O, which stand for const, immutable and shared */
	type += strspn(type, "xyO");
	return *type && strchr("FUWVRY", *type) && strchr(type, 'Z') &&
	       !strpbrk(type, "0123456789Q_");
}

/* Return the decoded D name, malloc'd. Return NULL if out of memory, or if @name is not a D name,
 * has templates, back references or types, or belongs to a nested function. */
static char *d_name(const char *name)
{
	const char *from;
	char *text, *to;
	size_t len;

	if (strncmp(name, "_D", 2) || !is_digit(name[2]))
		return NULL;
	to = text = malloc(strlen(name) + 1);
	if (!text)
		return NULL;
	name += 2;
	while ((from = next_identifier(&name, &len))) {
		if (to != text)
			*to++ = '.';
		if (len == 6 && !strncmp(from, "__ctor", len)) {
			to = stpcpy(to, "this");
		} else if (len == 6 && !strncmp(from, "__dtor", len)) {
			to = stpcpy(to, "~this");
		} else {
			memcpy(to, from, len);
			to += len;
		}
	}
	*to = '\0';
	if (to == text || !is_plain_function(name)) {
		free(text);
		return NULL;
	}
	return text;
}

/* maximum length of a mangled name in bytes; compilers do not write longer names, so longer names
 * stay mangled */
#define MAX_MANGLED	16384
/* maximum length of a name to shorten, in bytes, because the time is quadratic in the length */
#define MAX_SMART	4096
/* initial limit, in bytes, for the output of all names together; each byte of a mangled name raises
 * the limit by MAX_RATIO */
#define FREE_ROOM	(16u << 20)
/* number of bytes by which each byte of a mangled name raises the limit of the output */
#define MAX_RATIO	16
/* CPU time in ns for a name; only names that need more time count towards ALL_TIME; most names of
 * real programs need less than a tenth of this */
#define FREE_TIME	200000
/* limit of the CPU time in ns for all names that exceed FREE_TIME, together */
#define ALL_TIME	1000000000u

struct pp_demangled {
	const char *name;	/* the mangled name; NULL: free slot */
	const char *text;
	enum pp_demangle how;
};

void pp_demangler_init(struct pp_demangler *d, struct pp_block **strings)
{
	*d = (struct pp_demangler){ .strings = strings, .room = FREE_ROOM, .time = ALL_TIME };
}

void pp_demangler_release(struct pp_demangler *d)
{
	pp_demangle_guard_free(d->guard);
	pp_intern_release(&d->texts);
	free(d->names);
	*d = (struct pp_demangler){ 0 };
}

static size_t slot_of(const struct pp_demangler *d, const char *name, enum pp_demangle how)
{
	size_t at = op_hash_number(op_hash_text(OP_HASH_BEGIN, name), how) & (d->size - 1);

	while (d->names[at].name && (d->names[at].how != how || strcmp(d->names[at].name, name)))
		at = (at + 1) & (d->size - 1);
	return at;
}

/* Grow the hash table when half of its slots are used. */
static int make_room(struct pp_demangler *d)
{
	struct pp_demangled *old = d->names;
	size_t old_size = d->size;

	if (2 * d->nr < d->size)
		return 0;
	d->names = calloc(old_size ? 2 * old_size : 64, sizeof(*d->names));
	if (!d->names) {
		d->names = old;
		return -ENOMEM;
	}
	d->size = old_size ? 2 * old_size : 64;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].name)
			d->names[slot_of(d, old[i].name, old[i].how)] = old[i];
	free(old);
	return 0;
}

/* Subtract a name's output and time from the limits for all names. Return @len, which may be a
 * negative errno, or -EFBIG if the output exceeds the limit. */
static int charge(struct pp_demangler *d, size_t mangled, int len, uint64_t time)
{
	if (time > FREE_TIME)
		d->time -= time < d->time ? time : d->time;
	if (len < 0)
		return len;
	d->room += (uint64_t)MAX_RATIO * mangled;
	if ((uint64_t)len > d->room)
		return -EFBIG;
	d->room -= len;
	return len;
}

/* Demangle a name that has no suffix of a PLT stub, and subtract its cost from the limits. Return
 * as pp_demangle_guarded(). */
static int demangle_bare(struct pp_demangler *d, const char *name, const char **ret_text)
{
	uint64_t time;
	int len;

	if (!d->time)
		return -ETIME;
	if (!d->guard) {
		len = pp_demangle_guard_create(&d->guard);
		if (len)
			return len == -ENOMEM ? len : -ETIME;
	}
	len = pp_demangle_guarded(d->guard, name, ret_text, &time);
	return charge(d, strlen(name), len, time);
}

/* Demangle the name of a PLT stub, NAME@plt or NAME@VERSION@plt, as libbfd makes it. Set *@ret_rest
 * to the text after NAME. */
static char *name_of_stub(const char *name, const char **ret_rest)
{
	const char *rest = strchr(name, '@');
	size_t len = strlen(name);

	if (!rest || len < 4 || strcmp(name + len - 4, "@plt"))
		return NULL;
	*ret_rest = rest;
	return strndup(name, rest - name);
}

/* Return the demangled name, malloc'd. Return NULL if @name is not mangled or stays mangled. If out
 * of memory, return NULL and set *@ret_err. */
static char *text_of(struct pp_demangler *d, const char *name, int *ret_err)
{
	const char *rest = "", *text;
	char *stub = name_of_stub(name, &rest), *whole = NULL;
	int len = demangle_bare(d, stub ? stub : name, &text);

	if (len >= 0 && asprintf(&whole, "%s%s", text, rest) < 0) {
		whole = NULL;
		len = -ENOMEM;
	}
	if (len == -ENOENT)
		whole = ocaml_name(name);
	if (len == -ENOENT && !whole)
		whole = d_name(name);
	free(stub);
	d->nr_given_up += len == -EFBIG || len == -ETIME;
	*ret_err = len == -ENOMEM ? len : 0;
	return whole;
}

static const char *make_text(struct pp_demangler *d, const char *name, enum pp_demangle how)
{
	const char *kept;
	char *text = NULL;
	int err = 0;

	if (how != PP_DEMANGLE_NONE && strlen(name) < MAX_MANGLED)
		text = text_of(d, name, &err);
	if (err)
		return NULL;
	if (text && how == PP_DEMANGLE_SMART && strlen(text) <= MAX_SMART)
		pp_smart_name(text);
	kept = pp_intern(&d->texts, d->strings, text ? text : name);
	free(text);
	return kept;
}

const char *pp_demangle(struct pp_demangler *d, const char *name, enum pp_demangle how)
{
	struct pp_demangled *slot;

	if (make_room(d))
		return NULL;
	slot = &d->names[slot_of(d, name, how)];
	if (slot->name)
		return slot->text;
	slot->text = make_text(d, name, how);
	if (!slot->text)
		return NULL;
	slot->name = name;
	slot->how = how;
	d->nr++;
	return slot->text;
}
