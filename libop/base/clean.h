/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clean.h -- cleaning of names for terminals, logs and all output formats.
 *
 * Other users may have chosen the names of files, symbols and sessions. Such a name may contain
 * control characters (also those of ISO 8859, as one byte or as UTF-8), newlines, characters that
 * change the text direction, or bytes that are not UTF-8. Print all such names with one of these
 * functions.
 */
#ifndef OP_BASE_CLEAN_H
#define OP_BASE_CLEAN_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Print @text for people: replace unsafe characters and bytes by '?'. Bytes that are letters in
 * ISO 8859 stay unchanged, because source files contain them and terminals ignore them. */
void op_put_clean(FILE *out, const char *text, size_t len);

/* Return the number of columns of the text that op_put_clean() prints, if no character of the text
 * is double-width. */
size_t op_clean_columns(const char *text);

/*
 * Copy @text to @buf as UTF-8, for output that programs parse. Replace each byte of an unsafe
 * character by "\xHH". If the text does not fit, truncate it between two characters. Return @buf.
 * @size is at least 1.
 */
char *op_clean(char *buf, size_t size, const char *text);

/* maximum number of bytes of a cleaned name, including the NUL */
#define OP_CLEAN_MAX	4096

/* Print a word of a shell command: quote the word if the shell would split or expand it, and
 * replace unsafe characters. */
void op_put_word(FILE *out, const char *word);

/* Format a message. Replace unsafe characters of the arguments as op_put_clean() does, but keep the
 * newlines of @format. The caller frees the result; NULL: memory is short. */
char *op_clean_vformat(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* Print a message formatted by op_clean_vformat() to a stream. */
void op_clean_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
