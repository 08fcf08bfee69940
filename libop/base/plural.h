/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plural.h -- choice between the singular and the plural of a word after a number.
 */
#ifndef OP_PLURAL_H
#define OP_PLURAL_H

#include <stdint.h>

/* Return the singular @one if the number @nr is 1, otherwise the plural @many. */
static inline const char *op_plural(uint64_t nr, const char *one, const char *many)
{
	return nr == 1 ? one : many;
}

#endif
