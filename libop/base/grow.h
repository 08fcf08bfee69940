/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grow.h -- arrays to which elements are added one at a time. */
#ifndef OP_GROW_H
#define OP_GROW_H

#include <errno.h>
#include <stdlib.h>

/*
 * Make room for one more element of @size bytes after the @nr elements of the array @items; see
 * op_grow(). Return the array, which may have moved, or NULL if memory is short; @items then stays
 * valid.
 */
static inline void *op_grown(void *items, size_t nr, size_t size)
{
	/* The capacity is always the smallest power of two that is at least @nr, so it need not
	 * be stored: the array is full if @nr is a power of two. */
	if (nr & (nr - 1))
		return items;
	return reallocarray(items, nr ? 2 * nr : 1, size);
}

/*
 * Make room for one element after the @nr elements of *@array, which may move. *@array must be NULL
 * at first, and must be enlarged only by op_grow(); @nr may be reduced. Return 0, or -ENOMEM with
 * the array unchanged.
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
