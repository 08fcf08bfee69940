/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h -- list of the starts of an ELF file's functions, from its call frame information.
 *
 * The elements of the list are numbers in ascending order. The element (offset - start) * 2 + 1
 * means that a function starts at the offset. The element (offset - start) * 2 means that other
 * code starts at the offset: code without an entry, or a PLT. Each slot of a PLT is a function,
 * although a single entry describes the whole PLT.
 */
#ifndef LIBCFI_FUNCTIONS_H
#define LIBCFI_FUNCTIONS_H

#include "libcfi/elf.h"

/* Return the maximum number of elements in the list of functions. */
__u64 cfi_functions_room(const struct cfi_elf *elf);
/*
 * Write the list of functions in the @length bytes (below 2^31) of code at @start to @to. *@nr:
 * length of the list. Return 0; -EFBIG: the file causes much more work than files that compilers
 * write;
 * -ESTALE: the file was changed during the call.
 */
int cfi_functions_list(const struct cfi_elf *elf, __u64 start, __u64 length, __u32 *to, __u64 room,
		       __u32 *nr);

/* Return the start of the function that contains @offset, or @offset if no function of the list
 * contains it. */
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
