/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clean.h -- words as a terminal, a log and any format may have them.
 *
 * Files, symbols and sessions are named by whoever made them: a name may have control characters (those
 * of ISO 8859 too, as one byte or as UTF-8), ends of lines, characters that turn the direction of what
 * follows, or bytes that are no UTF-8. Everything that is printed goes through one of these.
 */
#ifndef OP_BASE_CLEAN_H
#define OP_BASE_CLEAN_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* For people: what must not be printed becomes '?'. Letters of ISO 8859 stay as they are, for the sake of
 * source files; a terminal does nothing on them. */
void op_put_clean(FILE *out, const char *text, size_t len);

/* The columns that takes, wide characters aside. */
size_t op_clean_columns(const char *text);

/*
 * For programs: copies @text to @buf as UTF-8, where each byte of what must not be there becomes "\xHH";
 * cut off, between characters, when it does not fit. Returns @buf. @size: at least 1.
 */
char *op_clean(char *buf, size_t size, const char *text);

#define OP_CLEAN_MAX	4096	/* bytes of a name worth showing, with the NUL */

/* A word of a command, as a shell wants it: in quotes where the shell would split or expand it. What steers
 * is cleaned. */
void op_put_word(FILE *out, const char *word);

/* A sentence: what the arguments bring in is cleaned as op_put_clean() does it, but ends of lines in
 * @format itself stay. malloc'd; NULL: out of memory. */
char *op_clean_vformat(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* The same into a stream. */
void op_clean_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
