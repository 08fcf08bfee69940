/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h -- list of the begins of an ELF file's functions, from its call frame information.
 *
 * Each element of the list is a number, in ascending order. (offset - start) * 2 + 1: a function
 * begins at the offset. (offset - start) * 2: other code begins at the offset, either code that no
 * entry describes, or a PLT, whose slots are functions that one entry describes together.
 */
#ifndef LIBCFI_FUNCTIONS_H
#define LIBCFI_FUNCTIONS_H

#include "libcfi/elf.h"

/* Return the maximum length of the list of functions. */
__u64 cfi_functions_room(const struct cfi_elf *elf);
/*
 * Write the list of functions in the code at @start with @length bytes (below 2^31) to @to. *@nr:
 * length of the list. Return 0; -EFBIG: more work than for the file of any compiler; -ESTALE: the
 * file was changed during the call.
 */
int cfi_functions_list(const struct cfi_elf *elf, __u64 start, __u64 length, __u32 *to, __u64 room,
		       __u32 *nr);

/* Return the begin of the function at @offset, or @offset if the list has no function there. */
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
