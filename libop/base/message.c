// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message.c -- sentences for errors.
 */
#include "config.h"
#include "libop/base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"

int op_message_set(struct op_message *msg, int err, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	if (!msg)
		return err;
	va_start(args, format);
	text = op_clean_vformat(format, args);
	va_end(args);
	len = snprintf(msg->text, sizeof(msg->text), "%s", text ? text : "out of memory");
	free(text);
	if (len >= (int)sizeof(msg->text))
		strcpy(msg->text + sizeof(msg->text) - 4, "...");
	return err;
}
