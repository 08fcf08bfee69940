// SPDX-License-Identifier: GPL-2.0-or-later
/* say.c -- the sentence that a source leaves when it cannot be opened. */
#include "config.h"
#include "daemon/base/say.h"

#include <stdarg.h>

#include "libop/base/clean.h"

void opd_say(const char **why, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = op_clean_vformat(format, args);
	va_end(args);
	*why = text ? text : "out of memory";
}
