/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plural.h -- the form of a word after a number, for messages.
 */
#ifndef OP_PLURAL_H
#define OP_PLURAL_H

#include <stdint.h>

/* Return @one if the number is 1, otherwise @many. */
static inline const char *op_plural(uint64_t nr, const char *one, const char *many)
{
	return nr == 1 ? one : many;
}

#endif
