// SPDX-License-Identifier: GPL-2.0-or-later
/* demangle.c -- asks libiberty. */
#include "config.h"
#include "pp/image/demangle.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/image/smart_name.h"

#define MAX_MANGLED	16384	/* longer names are no compiler's */

static char *demangle(const char *name)
{
	return cplus_demangle(name, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
}

/* The stub of a function, which libbfd calls NAME@plt or NAME@VERSION@plt. */
static char *demangle_stub(const char *name)
{
	const char *behind = strchr(name, '@');
	size_t len = strlen(name);
	char *function, *text, *whole = NULL;

	if (!behind || len < 4 || strcmp(name + len - 4, "@plt"))
		return NULL;
	function = strndup(name, behind - name);
	text = function ? demangle(function) : NULL;
	if (text && asprintf(&whole, "%s%s", text, behind) < 0)
		whole = NULL;
	free(text);
	free(function);
	return whole;
}

char *pp_demangle(const char *name, enum pp_demangle how)
{
	char *text = NULL;

	if (how != PP_DEMANGLE_NONE && strlen(name) < MAX_MANGLED) {
		text = demangle_stub(name);
		if (!text)
			text = demangle(name);
	}
	if (!text)
		return strdup(name);
	if (how == PP_DEMANGLE_SMART)
		pp_smart_name(text);
	return text;
}
