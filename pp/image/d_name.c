// SPDX-License-Identifier: GPL-2.0-or-later
/* d_name.c -- decoder for qualified names of D. */
#include "config.h"
#include "pp/image/d_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_IDENTIFIER	4096	/* bytes */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c & 0x80;
}

/* Return the identifier at *@name, which begins with its length, and move *@name to its end. Return
 * NULL if there is no identifier. */
static const char *next_identifier(const char **name, size_t *ret_len)
{
	const char *p = *name;
	size_t len = 0;

	if (*p == '0')
		return NULL;
	while (is_digit(*p) && len < MAX_IDENTIFIER)
		len = 10 * len + (*p++ - '0');
	if (!len || len >= MAX_IDENTIFIER || !is_letter(*p))
		return NULL;
	for (size_t i = 0; i < len; i++)
		if (!is_letter(p[i]) && !is_digit(p[i]))
			return NULL;
	/* A template in the encoding of old compilers. */
	if (!strncmp(p, "__T", 3) || !strncmp(p, "__U", 3))
		return NULL;
	*ret_len = len;
	*name = p + len;
	return p;
}

/* Return whether @type is the type of a function, without digits and back references. A nested
 * function may follow it. */
static bool is_plain_function(const char *type)
{
	type += *type == 'M';			/* a function with `this`, ... */
	type += strspn(type, "xyO");		/* ... which is const, immutable or shared */
	return *type && strchr("FUWVRY", *type) && strchr(type, 'Z') &&
	       !strpbrk(type, "0123456789Q_");
}

char *pp_d_name(const char *name)
{
	const char *from;
	char *text, *to;
	size_t len;

	if (strncmp(name, "_D", 2) || !is_digit(name[2]))
		return NULL;
	to = text = malloc(strlen(name) + 1);
	if (!text)
		return NULL;
	name += 2;
	while ((from = next_identifier(&name, &len))) {
		if (to != text)
			*to++ = '.';
		if (len == 6 && !strncmp(from, "__ctor", len)) {
			to = stpcpy(to, "this");
		} else if (len == 6 && !strncmp(from, "__dtor", len)) {
			to = stpcpy(to, "~this");
		} else {
			memcpy(to, from, len);
			to += len;
		}
	}
	*to = '\0';
	if (to == text || !is_plain_function(name)) {
		free(text);
		return NULL;
	}
	return text;
}
