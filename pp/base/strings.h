/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strings.h -- many short strings with one lifetime.
 */
#ifndef PP_STRINGS_H
#define PP_STRINGS_H

#include <stddef.h>

#include "pp/base/block.h"

/* Return a copy of @text, or NULL. *@strings starts as NULL. */
const char *pp_strings_add(struct pp_block **strings, const char *text);

/* A set of strings. All zero: empty. */
struct pp_intern {
	const char **slots;
	size_t nr, size;	/* size: 0 or a power of two */
};

/* Return the set's copy of @text, which *@strings owns, or NULL if out of memory. */
const char *pp_intern(struct pp_intern *intern, struct pp_block **strings, const char *text);
void pp_intern_release(struct pp_intern *intern);

#endif
