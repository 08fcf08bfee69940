// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reason.c -- error messages that are returned to the caller.
 */
#include "config.h"
#include "libop/base/reason.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/error.h"

static void set_text(struct op_reason *error, const char *text)
{
	if (snprintf(error->text, sizeof(error->text), "%s", text) >= (int)sizeof(error->text))
		strcpy(error->text + sizeof(error->text) - 4, "...");
}

int op_fail(struct op_reason *error, int err, const char *format, ...)
{
	va_list args;
	char *text;

	if (!error)
		return err;
	va_start(args, format);
	text = op_clean_vformat(format, args);
	va_end(args);
	set_text(error, text ? text : "out of memory");
	free(text);
	return err;
}

int op_fail_lines(struct op_reason *error, int err, FILE *f, char **text)
{
	if (!f || fclose(f)) {
		err = op_fail(error, -ENOMEM, "out of memory");
	} else if (error) {
		set_text(error, *text);
	}
	free(*text);
	return err;
}

const char *op_reason_text(const struct op_reason *error, int err)
{
	return *error->text ? error->text : op_strerror(err);
}
