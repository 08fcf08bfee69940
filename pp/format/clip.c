// SPDX-License-Identifier: GPL-2.0-or-later
/* clip.c -- shortens names to a number of columns. */
#include "config.h"
#include "pp/format/clip.h"

#include <stdbool.h>
#include <string.h>

/* maximum number of outermost pairs of brackets in a name; text in further pairs is not cut */
#define MAX_BRACKETS	16
/* maximum nesting of brackets; a name with deeper nesting is cut at the beginning or in the
 * middle */
#define MAX_DEPTH	200
/* minimum number of characters to keep of the text in a bracket */
#define MIN_KEPT	6

/* The text between an opening and its closing bracket. */
struct bracket {
	char opening;
	size_t begin, length;
	/* offsets of the part of the bracket's text to cut; equal offsets: cut nothing */
	size_t cut_begin, cut_end;
};

struct brackets {
	struct bracket items[MAX_BRACKETS];
	size_t nr;
};

static bool is_plain(const char *name)
{
	for (; *name; name++)
		if (*name < ' ' || *name > '~')
			return false;
	return true;
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* Return the number of characters at @at that belong to an operator's name, such as "<" in
 * "operator<", and so are not brackets. */
static size_t not_brackets(const char *name, const char *at)
{
	static const char *const words[] = {
		"operator()",
		"operator<=>",
		"operator<<=",
		"operator>>=",
		"operator->*",
		"operator<<",
		"operator>>",
		"operator<=",
		"operator>=",
		"operator->",
		"operator<",
		"operator>",
		"(anonymous namespace)",
	};

	if (!strncmp(at, "->", 2))
		return 2;
	if (*at != '(' && (*at != 'o' || (at > name && is_word(at[-1]))))
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return strlen(words[i]);
	return 0;
}

/* The open brackets around a character, outermost first. */
struct nesting {
	char opening[MAX_DEPTH];
	size_t depth;
};

/* Close the innermost bracket that matches @closing, and the brackets inside it. In parentheses,
 * '>' may be an operator, as in "f<(a>b)>"; so may a '<' that no '>' closes. Return false if no
 * bracket matches. */
static bool close_bracket(struct nesting *n, char closing)
{
	const char opening = closing == '>' ? '<' : closing == ')' ? '(' : '{';
	size_t depth = n->depth;

	while (depth && n->opening[depth - 1] != opening && closing != '>')
		depth--;
	if (!depth || n->opening[depth - 1] != opening)
		return false;
	n->depth = depth - 1;
	return true;
}

/* Find the outermost pairs of brackets. An unclosed bracket, as in a truncated name, ends with the
 * name. Return false if brackets are nested too deeply. */
static bool find_brackets(struct brackets *ret, const char *name)
{
	struct nesting n = { .depth = 0 };
	struct bracket *outermost = NULL;
	const char *at = name;
	size_t skip;

	while (*at) {
		if ((skip = not_brackets(name, at))) {
			at += skip;
			continue;
		}
		if (strchr("<({", *at)) {
			if (n.depth == MAX_DEPTH)
				return false;
			if (!n.depth && ret->nr < MAX_BRACKETS) {
				outermost = &ret->items[ret->nr++];
				*outermost = (struct bracket){ *at, at + 1 - name, 0, 0, 0 };
			}
			n.opening[n.depth++] = *at;
		} else if (strchr(">)}", *at) && close_bracket(&n, *at) && !n.depth && outermost) {
			outermost->length = at - name - outermost->begin;
			outermost = NULL;
		}
		at++;
	}
	if (outermost)
		outermost->length = at - name - outermost->begin;
	return true;
}

/* Return the bracket whose text to cut next: parameter lists before other brackets, the last
 * parameter list first; then the longest bracket. Return NULL if no cut would save columns. */
static struct bracket *next_bracket(struct brackets *brackets)
{
	struct bracket *best = NULL;

	for (size_t i = brackets->nr; i-- > 0;) {
		struct bracket *b = &brackets->items[i];

		if (b->cut_end > b->cut_begin || b->length < 2)
			continue;
		if (b->opening == '(')
			return b;
		if (!best || b->length > best->length)
			best = b;
	}
	return best;
}

/* Cut @too_much columns from the middle of the text in a bracket. If less than MIN_KEPT characters
 * would remain, cut the whole text. Return the number of saved columns. */
static size_t cut(struct bracket *b, size_t too_much)
{
	size_t kept = b->length > too_much ? b->length - too_much - 1 : 0;

	if (kept < MIN_KEPT)
		kept = 0;
	b->cut_begin = b->begin + (kept + 1) / 2;
	b->cut_end = b->begin + b->length - kept / 2;
	return b->length - kept - 1;
}

/* Write @name to @buf, without the parts to cut. @buf must be large enough. */
static void write_name(char buf[PP_CLIP_MAX], const char *name, const struct brackets *brackets)
{
	size_t n = 0, at = 0;

	for (size_t i = 0; i <= brackets->nr; i++) {
		const struct bracket *b = i < brackets->nr ? &brackets->items[i] : NULL;
		size_t end = b ? b->cut_begin : strlen(name);

		if (b && b->cut_begin == b->cut_end)
			continue;
		memcpy(buf + n, name + at, end - at);
		n += end - at;
		if (!b)
			break;
		memcpy(buf + n, PP_CLIP_MARK, strlen(PP_CLIP_MARK));
		n += strlen(PP_CLIP_MARK);
		at = b->cut_end;
	}
	buf[n] = '\0';
}

/* Return a pointer to the last @columns columns of @text. */
static const char *last_columns(const char *text, size_t columns)
{
	const char *at = text + strlen(text);

	while (at > text && columns) {
		at--;
		columns -= (*at & 0xc0) != 0x80;
	}
	return at;
}

/* Cut the beginning of a name, which contains the names of scopes, because the function's own name
 * is at the end. */
static void cut_begin(char *buf, size_t columns)
{
	const char *rest = last_columns(buf, columns - 1);

	if (!strncmp(rest, PP_CLIP_MARK, strlen(PP_CLIP_MARK)))
		/* The rest already begins with a cut mark. Skip that mark, because the code below
		 * adds one. */
		rest += strlen(PP_CLIP_MARK);
	memmove(buf + strlen(PP_CLIP_MARK), rest, strlen(rest) + 1);
	memcpy(buf, PP_CLIP_MARK, strlen(PP_CLIP_MARK));
}

/* Cut the middle of a name without namespaces, because both ends of such a name matter. */
static void cut_middle(char buf[PP_CLIP_MAX], const char *name, size_t columns)
{
	size_t first = columns / 2, last = columns - 1 - first;

	memcpy(buf, name, first);
	strcpy(buf + first, PP_CLIP_MARK);
	strcat(buf, name + strlen(name) - last);
}

/* Cut text in brackets until the name has at most @columns columns or no bracket can be cut. Return
 * the length of the shortened name. */
static size_t cut_brackets(struct brackets *brackets, const char *name, size_t columns)
{
	size_t left = strlen(name);
	struct bracket *b;

	if (!find_brackets(brackets, name))
		brackets->nr = 0;
	while (left > columns && (b = next_bracket(brackets)))
		left -= cut(b, left - columns);
	return left;
}

const char *pp_clip_name(char buf[PP_CLIP_MAX], const char *name, size_t columns)
{
	size_t length = strlen(name), left;
	struct brackets brackets = { .nr = 0 };

	if (length <= columns || !is_plain(name))
		return name;
	left = cut_brackets(&brackets, name, columns);
	/* the name is too long for @buf: skip its beginning, which is cut anyway */
	if (left > PP_CLIP_MAX / 2) {
		brackets.nr = 0;
		name += length - PP_CLIP_MAX / 2;
	}
	if (left > columns && !strstr(name, "::")) {
		cut_middle(buf, name, columns);
		return buf;
	}
	write_name(buf, name, &brackets);
	if (left > columns)
		cut_begin(buf, columns);
	return buf;
}
