/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h -- where the functions of a file begin, as its call frame information tells.
 *
 * A list of numbers in ascending order: (offset - start) * 2, and 1 where a function begins; without the 1 there is
 * code from there on that nobody describes, or that is many functions in one: slots of a PLT.
 */
#ifndef LIBCFI_FUNCTIONS_H
#define LIBCFI_FUNCTIONS_H

#include "libcfi/elf.h"

/* How many numbers there can be at most. */
__u64 cfi_functions_room(const struct cfi_elf *elf);
/* Writes those of the code at @start, @length bytes below 2^31, of the file, to @to. *@nr: so many. 0; -EFBIG: more work than any
 * compiler makes; -ESTALE: the file was changed meanwhile. */
int cfi_functions_list(const struct cfi_elf *elf, __u64 start, __u64 length, __u32 *to, __u64 room, __u32 *nr);

/* The offset where the function that has @offset begins, or @offset where there is none. */
OPROFILE_UW_INLINE __u64 cfi_functions_begin(const __u32 *list, __u32 nr, __u64 start, __u64 offset)
{
	const __u32 *found = 0;

	while (nr) {
		__u32 half = nr / 2;

		if (start + (list[half] >> 1) <= offset) {
			found = list + half;
			list += half + 1;
			nr -= half + 1;
		} else {
			nr = half;
		}
	}
	return found && *found & 1 ? start + (*found >> 1) : offset;
}

#endif
