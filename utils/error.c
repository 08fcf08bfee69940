// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * error.c -- a failure with its story.
 */
#include "config.h"
#include "utils/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "libop/base/clean.h"

int ctl_fail(struct ctl_error *e, int err, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = op_clean_vformat(fmt, ap);
	va_end(ap);

	/* Only now: the arguments may include the old text. */
	free(e->text);
	e->text = text;
	return err;
}

const char *ctl_error_text(const struct ctl_error *e)
{
	return e->text ? e->text : "Out of memory.";
}

void ctl_error_release(struct ctl_error *e)
{
	free(e->text);
	e->text = NULL;
}
