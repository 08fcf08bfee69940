/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reason.h -- why something failed, for people: the cause, and the way out.
 *
 * The code is what a function returns. The sentence is made where the cause is known, in a struct that the caller
 * has on its stack; it is carried up as it is, or as part of a longer one, and printed once, by who talks to people.
 * Nobody owns anything. Functions that only memory can fail leave it empty: the code says it.
 */
#ifndef OP_BASE_REASON_H
#define OP_BASE_REASON_H

#include <stdio.h>

/* Without newline at its end; libop's are clauses, without full stop. Empty until something failed. */
struct op_reason {
	char text[2048];
};

/*
 * Replaces the text of @why (may be NULL) and returns @err, so that `return op_fail(...)` reads well. What the
 * arguments bring in is cleaned (clean.h), and may be the old text. Text that is too long ends in "...".
 */
int op_fail(struct op_reason *why, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The same for a text of several lines that was written with op_clean_printf() to @f, an open_memstream() of *@text:
 * both end here. @f may be NULL, when there was no memory for it.
 */
int op_fail_lines(struct op_reason *why, int err, FILE *f, char **text);

/* The sentence to print for @err: @why's, or op_strerror()'s when it is empty. Never empty. */
const char *op_reason_text(const struct op_reason *why, int err);

#endif
