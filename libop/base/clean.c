// SPDX-License-Identifier: GPL-2.0-or-later
/* clean.c -- replacement of control characters and invalid UTF-8 (RFC 3629) in texts. */
#include "config.h"
#include "libop/base/clean.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum op_char {
	OP_CHAR_FINE,
	OP_CHAR_CONTROL,		/* a control character */
	OP_CHAR_BYTE,		/* a byte that is not valid UTF-8 */
};

/* Return the length of the character at @s, or 0 if the bytes are not UTF-8. Set *@ret to its
 * code point. */
static size_t decode(const unsigned char *s, size_t left, uint32_t *ret)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
		   s[0] < 0xf5 ? 4 : 0;
	uint32_t c = n <= 1 ? s[0] : s[0] & (0x7f >> n);

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;	/* invalid UTF-8, or the NUL at the end of the text */
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)))
		return 0;
	*ret = c;
	return n;
}

static bool is_harmless(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return false;	/* control characters */
	if (c == 0x2028 || c == 0x2029)
		return false;	/* reject line and paragraph separators */
	if (c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069))
		return false;	/* reject characters that change the text direction */
	if ((c >= 0xd800 && c < 0xe000) || (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c < 0xfdf0))
		return false;	/* reject surrogates and noncharacters */
	return true;
}

/* Classify the first character of @text, which has @left > 0 bytes. *@size: number of bytes of the
 * character. A tab counts as a control character. */
static enum op_char char_at(const char *text, size_t left, size_t *size)
{
	uint32_t c;

	*size = decode((const unsigned char *)text, left, &c);
	if (*size)
		return is_harmless(c) ? OP_CHAR_FINE : OP_CHAR_CONTROL;
	*size = 1;
	return OP_CHAR_BYTE;
}

#define EACH(byte)	(0x0101010101010101u * (byte))

/* Return the number of printable ASCII bytes at the start of the text, rounded down to a multiple
 * of 8. Most texts consist only of such bytes. */
static size_t plain_words(const char *text, size_t len)
{
	size_t at = 0;

	for (; len - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
		uint64_t w, del;

		memcpy(&w, text + at, sizeof(w));
		del = w ^ EACH(0x7f);
		/*
		 * In each byte of the result, the top bit is set if the byte is DEL, a control
		 * character, or not ASCII. A borrow may also set the top bit of another byte: then
		 * a slower check of the word follows.
		 */
		if ((w | ((w - EACH(0x20)) & ~w) | ((del - EACH(1)) & ~del)) & EACH(0x80))
			break;
	}
	return at;
}

/* Return the length of the longest start of @text that can be printed unchanged. Set *@next to the
 * number of bytes of the unsafe character after this start. */
static size_t fine_length(const char *text, size_t len, size_t *next)
{
	size_t at = plain_words(text, len);

	*next = 0;
	while (at < len) {
		unsigned char c = text[at];

		if (c >= 0x20 && c < 0x7f) {
			at++;
			continue;
		}
		switch (char_at(text + at, len - at, next)) {
		case OP_CHAR_FINE:
			break;
		case OP_CHAR_CONTROL:
			return at;
		case OP_CHAR_BYTE:
			if (c < 0xa0)
				return at;
		}
		at += *next;
	}
	return at;
}

void op_put_clean(FILE *out, const char *text, size_t len)
{
	while (len) {
		size_t next, n = fine_length(text, len, &next);

		fwrite_unlocked(text, 1, n, out);
		if (n == len)
			return;
		putc_unlocked('?', out);
		text += n + next;
		len -= n + next;
	}
}

size_t op_clean_columns(const char *text)
{
	size_t len = strlen(text), columns = plain_words(text, len), size;

	for (text += columns, len -= columns; len; text += size, len -= size, columns++) {
		size = 1;
		if ((signed char)*text < 0)
			char_at(text, len, &size);
	}
	return columns;
}

char *op_clean(char *buf, size_t size, const char *text)
{
	size_t left = strlen(text), at = 0, n;

	for (; left; text += n, left -= n) {
		if (char_at(text, left, &n) == OP_CHAR_FINE) {
			if (at + n >= size)
				break;
			memcpy(buf + at, text, n);
			at += n;
			continue;
		}
		n = 1;
		if (at + 4 >= size)
			break;
		at += snprintf(buf + at, size - at, "\\x%02x", (unsigned char)*text);
	}
	buf[at] = '\0';
	return buf;
}

void op_put_word(FILE *out, const char *word)
{
	if (*word && !word[strcspn(word, " \t\n\"'\\$&|;<>()*?[]{}`!#~")]) {
		op_put_clean(out, word, strlen(word));
		return;
	}
	putc('\'', out);
	for (;;) {
		size_t n = strcspn(word, "'");

		op_put_clean(out, word, n);
		if (!word[n])
			break;
		fputs("'\\''", out);
		word += n + 1;
	}
	putc('\'', out);
}

/* Return a control character that occurs neither in @text nor in @format; it can mark the newlines
 * of @format. Return 0 if all control characters occur. */
static char free_mark(const char *text, const char *format)
{
	for (char c = 1; c < '\t'; c++)
		if (!strchr(text, c) && !strchr(format, c))
			return c;
	return 0;
}

/* Clean the text in place, which is possible because '?' is at most as long as the character
 * that it replaces. Replace each mark by a newline. */
static void clean_in_place(char *text, char mark)
{
	size_t left = strlen(text);
	char *to = text;

	while (left) {
		size_t next, n = fine_length(text, left, &next);

		memmove(to, text, n);
		to += n;
		text += n;
		left -= n;
		if (!left)
			break;
		*to++ = mark && *text == mark ? '\n' : '?';
		text += next;
		left -= next;
	}
	*to = '\0';
}

char *op_clean_vformat(const char *format, va_list args)
{
	char *text, *marked, mark;
	va_list again;
	int n;

	va_copy(again, args);
	n = vasprintf(&text, format, args);
	if (n < 0 || !strchr(format, '\n')) {
		va_end(again);
		if (n >= 0)
			clean_in_place(text, 0);
		return n < 0 ? NULL : text;
	}
	/* Format the text again, with a mark instead of each newline of the format: the marks are
	 * then different from newlines in the arguments. */
	mark = free_mark(text, format);
	marked = strdup(format);
	for (char *p = marked; mark && p && *p; p++)
		if (*p == '\n')
			*p = mark;
	free(text);
	n = marked ? vasprintf(&text, marked, again) : -1;
	va_end(again);
	free(marked);
	if (n < 0)
		return NULL;
	clean_in_place(text, mark);
	return text;
}

void op_clean_printf(FILE *out, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = op_clean_vformat(format, args);
	va_end(args);
	if (text)
		fputs(text, out);
	free(text);
}
