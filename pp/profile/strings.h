/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strings.h -- many short strings that live and die together.
 */
#ifndef PP_PROFILE_STRINGS_H
#define PP_PROFILE_STRINGS_H

#include <stddef.h>

struct pp_strings {
	struct pp_strings *next;
	size_t used, size;
	char bytes[];
};

/* A copy of @text, or NULL. *@strings starts as NULL. */
const char *pp_strings_add(struct pp_strings **strings, const char *text);
void pp_strings_free(struct pp_strings *strings);

#endif
