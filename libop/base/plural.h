/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plural.h -- the form of a word after a number, for messages.
 */
#ifndef OP_PLURAL_H
#define OP_PLURAL_H

#include <stdint.h>

/* Return @one after 1, and @many after any other number. */
static inline const char *op_plural(uint64_t nr, const char *one, const char *many)
{
	return nr == 1 ? one : many;
}

#endif
