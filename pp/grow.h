/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grow.h -- arrays that grow one element at a time.
 */
#ifndef PP_GROW_H
#define PP_GROW_H

#include <stdlib.h>

/* Room for one more than @nr elements: @items, perhaps moved, and *@max updated; NULL when out of
 * memory, and then @items is as before. */
static inline void *pp_grow(void *items, size_t nr, size_t *max, size_t size)
{
	size_t new_max = *max ? *max + *max / 2 : 64;
	void *new;

	if (nr < *max)
		return items;
	new = reallocarray(items, new_max, size);
	if (new)
		*max = new_max;
	return new;
}

#endif
