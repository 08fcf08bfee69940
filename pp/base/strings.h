/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strings.h -- many short strings that live and die together.
 */
#ifndef PP_STRINGS_H
#define PP_STRINGS_H

#include <stddef.h>

#include "pp/base/block.h"

/* A copy of @text, or NULL. *@strings starts as NULL. */
const char *pp_strings_add(struct pp_block **strings, const char *text);

/* Strings of which each is kept once. Zeroed is empty. */
struct pp_intern {
	const char **slots;
	size_t nr, size;	/* size: 0 or a power of two */
};

/* The one copy of @text, in *@strings; NULL when out of memory. */
const char *pp_intern(struct pp_intern *intern, struct pp_block **strings, const char *text);
void pp_intern_release(struct pp_intern *intern);

#endif
