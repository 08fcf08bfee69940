/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search.h -- comparison of numbers for sorting, and binary search in a sorted array.
 */
#ifndef OP_SEARCH_H
#define OP_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Return -1 if @a is less than @b, 0 if both are equal, and 1 if @a is greater. */
static inline int op_compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* The same for signed numbers, such as times. */
static inline int op_compare_s64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* Compare two elements of type uint64_t, for qsort() and bsearch(). */
static inline int op_compare_u64_items(const void *a, const void *b)
{
	return op_compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/*
 * Return the lowest @i of 0 .. @nr - 1 for which the expression @before, which uses @i, is false;
 * return @nr if the expression is always true. @before must be true up to some index and false
 * from there on; it is evaluated about log2(@nr) times. Examples of @before:
 *   - key(i) < wanted: find the first item that is not less than @wanted. This is also the place to
 *     insert a missing item.
 *   - key(i) <= wanted: find the item after the last item that is not greater than @wanted; the
 *     result is 0 if all items are greater.
 */
#define op_partition_point(i, nr, before)			\
({								\
	size_t low_ = 0, high_ = (nr);				\
								\
	while (low_ < high_) {					\
		const size_t i = low_ + (high_ - low_) / 2;	\
								\
		if (before)					\
			low_ = i + 1;				\
		else						\
			high_ = i;				\
	}							\
	low_;							\
})

#endif
