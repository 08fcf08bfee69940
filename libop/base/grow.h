/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grow.h -- arrays that grow one element at a time.
 */
#ifndef OP_GROW_H
#define OP_GROW_H

#include <errno.h>
#include <stdlib.h>

/* See op_grow(). NULL: out of memory, and @items is as before. */
static inline void *op_grown(void *items, size_t nr, size_t size)
{
	/* Full at each power of two: nobody has to remember how large it is. */
	if (nr & (nr - 1))
		return items;
	return reallocarray(items, nr ? 2 * nr : 1, size);
}

/*
 * Room for one element behind the @nr of *@array, which may move. Only for an array that has grown from
 * NULL by this alone; it may have been cut short. 0 or ENOMEM, and then the array is as before.
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
