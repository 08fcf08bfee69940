// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message.c -- sentences for errors.
 */
#include "config.h"
#include "libop/base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int op_message_set(struct op_message *msg, int err, const char *format, ...)
{
	va_list args;
	int len;

	if (!msg)
		return err;
	va_start(args, format);
	len = vsnprintf(msg->text, sizeof(msg->text), format, args);
	va_end(args);
	if (len >= (int)sizeof(msg->text))
		strcpy(msg->text + sizeof(msg->text) - 4, "...");
	return err;
}
