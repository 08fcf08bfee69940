/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strings.h -- many short strings that live and die together.
 */
#ifndef PP_STRINGS_H
#define PP_STRINGS_H

#include <stddef.h>

struct pp_strings {
	struct pp_strings *next;
	size_t used, size;
	char bytes[];
};

/* A copy of @text, or NULL. *@strings starts as NULL. */
const char *pp_strings_add(struct pp_strings **strings, const char *text);
/* Puts all of *@more into *@strings; *@more is then empty. */
void pp_strings_join(struct pp_strings **strings, struct pp_strings **more);
void pp_strings_free(struct pp_strings *strings);

/* Strings of which each is kept once. Zeroed is empty. */
struct pp_intern {
	const char **slots;
	size_t nr, size;	/* size: 0 or a power of two */
};

/* The one copy of @text, in *@strings; NULL when out of memory. */
const char *pp_intern(struct pp_intern *intern, struct pp_strings **strings, const char *text);
void pp_intern_release(struct pp_intern *intern);

#endif
