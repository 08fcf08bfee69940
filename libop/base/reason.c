// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reason.c -- why something failed.
 */
#include "config.h"
#include "libop/base/reason.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/error.h"

int op_fail(struct op_reason *why, int err, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	if (!why)
		return err;
	va_start(args, format);
	text = op_clean_vformat(format, args);
	va_end(args);
	len = snprintf(why->text, sizeof(why->text), "%s", text ? text : "out of memory");
	free(text);
	if (len >= (int)sizeof(why->text))
		strcpy(why->text + sizeof(why->text) - 4, "...");
	return err;
}

const char *op_reason_text(const struct op_reason *why, int err)
{
	return *why->text ? why->text : op_strerror(err);
}
