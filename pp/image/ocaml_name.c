// SPDX-License-Identifier: GPL-2.0-or-later
/* ocaml_name.c -- decoder for names of ocamlopt. */
#include "config.h"
#include "pp/image/ocaml_name.h"

#include <stdlib.h>
#include <string.h>

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *pp_ocaml_name(const char *name)
{
	static const char prefix[] = "caml";
	size_t n = strlen(prefix);
	char *text, *to;

	/* A module's name begins with a capital letter; functions of the runtime system are
	 * named caml_NAME. */
	if (strncmp(name, prefix, n) || name[n] < 'A' || name[n] > 'Z')
		return NULL;
	name += n;
	if (!strstr(name, "__") && !strchr(name, '.'))
		return NULL;
	to = text = malloc(strlen(name) + 1);
	if (!text)
		return NULL;
	while (*name) {
		int high = name[0] == '$' ? hex(name[1]) : -1, low = high < 0 ? -1 : hex(name[2]);
		int byte = high << 4 | low;

		if (low >= 0 && byte >= ' ' && byte <= '~') {
			*to++ = byte;
			name += 3;
		} else if (name[0] == '_' && name[1] == '_' && name[2]) {
			*to++ = '.';
			name += 2;
		} else {
			*to++ = *name++;
		}
	}
	*to = '\0';
	return text;
}
