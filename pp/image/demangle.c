// SPDX-License-Identifier: GPL-2.0-or-later
/* demangle.c -- asks libiberty. */
#include "config.h"
#include "pp/image/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "pp/image/smart_name.h"

#define MAX_MANGLED	16384	/* longer names are no compiler's */

char *pp_demangle(const char *name, enum pp_demangle how)
{
	char *text = NULL;

	if (how != PP_DEMANGLE_NONE && strlen(name) < MAX_MANGLED)
		text = cplus_demangle(name, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
	if (!text)
		return strdup(name);
	if (how == PP_DEMANGLE_SMART)
		pp_smart_name(text);
	return text;
}
