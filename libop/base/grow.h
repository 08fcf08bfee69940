/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grow.h -- arrays that grow when elements are added. */
#ifndef OP_GROW_H
#define OP_GROW_H

#include <errno.h>
#include <stdlib.h>

/*
 * Allocate memory for one more element of @size bytes after the @nr elements of the array @items;
 * see op_grow(). Return the array, which may have moved, or NULL if memory is short; @items then
 * stays valid.
 */
static inline void *op_grown(void *items, size_t nr, size_t size)
{
	/* The array always has memory for a power of two of elements: the smallest that is at
	 * least @nr. So this number need not be stored, and the array is full if @nr is a power
	 * of two. */
	if (nr & (nr - 1))
		return items;
	return reallocarray(items, nr ? 2 * nr : 1, size);
}

/*
 * Allocate memory for one more element after the @nr elements of *@array. The array may move.
 * *@array must be NULL at first, and only op_grow() may enlarge it; the caller may reduce @nr.
 * Return 0, or -ENOMEM with the array unchanged.
 */
#define op_grow(array, nr)							\
({										\
	__typeof__(*(array)) grown_ = op_grown(*(array), nr, sizeof(**(array)));\
										\
	if (grown_)								\
		*(array) = grown_;						\
	grown_ ? 0 : -ENOMEM;							\
})

#endif
