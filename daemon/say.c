// SPDX-License-Identifier: GPL-2.0-or-later
/* say.c -- the sentence that a source leaves when it cannot be opened. */
#include <config.h>
#include "daemon/say.h"

#include <stdarg.h>
#include <stdio.h>

void opd_say(const char **why, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	*why = text ? text : "out of memory";
}
