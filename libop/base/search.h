/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search.h -- the place of something in a sorted array.
 */
#ifndef OP_SEARCH_H
#define OP_SEARCH_H

#include <stddef.h>

/*
 * Of 0 .. @nr - 1 the first @i for which @before, an expression with @i in it, is false; @nr if there is
 * none. @before must be true up to some index and false from there on. It is evaluated about log2(@nr)
 * times. With @before being
 *   key(i) < wanted	the first item that is not less; where to insert what is not there
 *   key(i) <= wanted	one more than the last item at or below, 0 if there is none
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
