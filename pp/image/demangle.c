// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demangle.c -- demangling of C++ and Rust names by libiberty and of D and OCaml names by own code,
 * and shortening of C++ names.
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

/* Removal of default arguments and long type names from demangled names. */

/* Texts in C++ names and their replacements. A replacement must not be longer than the text,
 * because names are changed in place. */
static const char *const shorter[][2] = {
	{ "std::__cxx11::", "std::" },
	{ "std::__1::", "std::" },	/* the inline namespace of libc++ */
	{ ", (__gnu_cxx::_Lock_policy)2>", ">" },
};

/* Default arguments at the end of templates. The array is in the order of removal, because only the
 * last argument of a template can be removed: in a template, a later element precedes the elements
 * before it. */
static const struct {
	const char *begins;
	/* remove the argument only if its own argument is the template's first argument */
	bool of_first;
} defaulted[] = {
	/* Remove the argument for each type of elements: the allocator always has the type of the
	 * elements, because other code does not compile. */
	{ ", std::allocator<", 0 },
	{ ", std::equal_to<", 1 },
	{ ", std::hash<", 1 },
	{ ", std::less<", 1 },
	{ ", std::default_delete<", 1 },
	{ ", std::char_traits<", 1 },
};

/* The prefix in the short names of strings by their type of character: std::basic_string<wchar_t>
 * is std::wstring. */
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

/* Remove ABI tags such as "[abi:cxx11]", which only linkers need. */
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

/* Return whether the text between @of and @end is also the first argument of the template one of
 * whose arguments begins at @at. */
static bool is_first_argument(const char *text, const char *at, const char *of, const char *end)
{
	size_t n;

	while (end > of && end[-1] == ' ')	/* old compilers write "A<B> >", with a blank */
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

/* Replace "std::basic_NAME" followed by @argument, such as "<wchar_t>", by "std::", @prefix, such
 * as "w", and NAME. */
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
 * Names of OCaml's functions.
 *
 * ocamlopt calls the function map of List "camlStdlib__List__map_355", or from 5.1 on
 * "camlStdlib.List.map_355", where the number distinguishes functions of the same name. ocamlopt
 * writes characters that assemblers do not accept as "$" and two hex digits.
 */

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Return the name in the programmer's notation, with the number, malloc'd. Return NULL if out of
 * memory, or if @name is not a name of OCaml. */
static char *ocaml_name(const char *name)
{
	static const char prefix[] = "caml";
	size_t n = strlen(prefix);
	char *text, *to;

	/* A module's name begins with a capital letter; functions of the runtime system are
	 * named caml_NAME. */
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
 * libiberty's demangler of D is not used: it allocates memory, so a timer must not interrupt it,
 * and its time and the length of its text can grow exponentially with back references and nested
 * types. This code decodes only the qualified name, without the parameters. The text is shorter
 * than the mangled name, and the time is proportional to its length.
 */

#define MAX_IDENTIFIER	4096	/* limit of the length of a D identifier, in bytes */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c & 0x80;
}

/* Return the identifier at *@name, which begins with its length, and move *@name to its end. Return
 * NULL if there is no identifier. */
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
	/* Refuse a template in the encoding of old compilers, which begins with __T or __U. */
	if (!strncmp(p, "__T", 3) || !strncmp(p, "__U", 3))
		return NULL;
	*ret_len = len;
	*name = p + len;
	return p;
}

/* Return whether @type is the type of a function, without digits and back references. A nested
 * function may follow the type. */
static bool is_plain_function(const char *type)
{
	type += *type == 'M';			/* M: a function with `this` */
	/* the letters x, y and O mark const, immutable and shared functions */
	type += strspn(type, "xyO");
	return *type && strchr("FUWVRY", *type) && strchr(type, 'Z') &&
	       !strpbrk(type, "0123456789Q_");
}

/* Return the decoded name, malloc'd. Return NULL if memory is short, or if @name is not a name
 * of D, has templates, back references or names of types, or belongs to a nested function. */
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

/* limit of the length of a mangled name, in bytes; compilers do not write longer names, which stay
 * mangled */
#define MAX_MANGLED	16384
/* limit of the length of a name that is shortened, in bytes, because the time of shortening grows
 * with the square of the length */
#define MAX_SMART	4096
#define FREE_ROOM	(16u << 20)	/* limit of the text of all names together, in bytes */
#define MAX_RATIO	16		/* further bytes of text for each byte of a mangled name */
/* CPU time, in ns, that each name may use; most names of real programs need less than a tenth of
 * this time */
#define FREE_TIME	200000
/* CPU time, in ns, that all names which exceed FREE_TIME may use together */
#define ALL_TIME	1000000000u

struct pp_demangled {
	const char *name;	/* the mangled name; NULL: this slot is free */
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

/* Grow the hash table so that at least half of its slots stay empty. */
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

/* Subtract a name's cost from the limits for all names. Return -ETIME or -EFBIG if the name would
 * exceed a limit. */
static int pay(struct pp_demangler *d, size_t mangled, int len, uint64_t time)
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

/* Demangle a name that has no suffix of a stub, and subtract the name's cost from the limits.
 * Return the results of pp_demangle_guarded(). */
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
	return pay(d, strlen(name), len, time);
}

/* Demangle the name that libbfd makes for a function's stub, NAME@plt or NAME@VERSION@plt.
 * *@ret_rest: the text after NAME. */
static char *name_of_stub(const char *name, const char **ret_rest)
{
	const char *rest = strchr(name, '@');
	size_t len = strlen(name);

	if (!rest || len < 4 || strcmp(name + len - 4, "@plt"))
		return NULL;
	*ret_rest = rest;
	return strndup(name, rest - name);
}

/* Return the demangled name, malloc'd. Return NULL if the name does not change, or with *@ret_err
 * set if out of memory. */
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
