/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h -- a failure with its story: the code for programs, the sentence for the user.
 *
 * Functions that can fail in ways errno cannot tell take a struct ctl_error last, zeroed by the
 * caller, and leave in it the cause and the way out. Whoever prints it releases it.
 */
#ifndef CTL_ERROR_H
#define CTL_ERROR_H

struct ctl_error {
	char *text;	/* sentences without a final newline, or NULL */
};

/* Replaces the text; returns @err, so that `return ctl_fail(...)` reads well. */
int ctl_fail(struct ctl_error *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Never NULL; something even when memory ran out. */
const char *ctl_error_text(const struct ctl_error *e);

void ctl_error_release(struct ctl_error *e);

#endif
