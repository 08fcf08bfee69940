/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reason.h -- error messages for users: the cause, and the remedy.
 *
 * A function returns an error code, and writes an error message into a struct on the caller's
 * stack. The function that knows the cause writes the message. Callers pass it on, unchanged or as
 * part of a longer message, and the program prints it once. The struct needs no cleanup. A function
 * that can fail only for lack of memory does not write a message, because the error code is enough.
 */
#ifndef OP_BASE_REASON_H
#define OP_BASE_REASON_H

#include <stdio.h>

/* An error message without a newline at the end; messages of libop have no full stop. The message
 * is empty until a function fails. */
struct op_reason {
	char text[2048];
};

/*
 * Format the text of @error, which may be NULL, and return @err, for use as `return op_fail(...)`.
 * Unsafe characters of the arguments are replaced (clean.h). The old text of @error may be an
 * argument. A text that is too long is truncated and ends in "...".
 */
int op_fail(struct op_reason *error, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Set the text of @error to several lines, and return @err. The caller has written the lines with
 * op_clean_printf() to @f, a stream from open_memstream() with the buffer *@text. The function
 * closes @f and frees *@text. @f may be NULL if memory was short.
 */
int op_fail_lines(struct op_reason *error, int err, FILE *f, char **text);

/* Return the message to print for @err: the text of @error, or op_strerror() if the text is
 * empty. */
const char *op_reason_text(const struct op_reason *error, int err);

#endif
