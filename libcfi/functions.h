/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h -- the begins of a file's functions, from its call frame information.
 *
 * The list has ascending numbers: (offset - start) * 2 + 1 is the begin of a function; (offset -
 * start) * 2 is the begin of code without a description, or of code with many functions in one
 * entry: slots of a PLT.
 */
#ifndef LIBCFI_FUNCTIONS_H
#define LIBCFI_FUNCTIONS_H

#include "libcfi/elf.h"

/* Return the maximum length of the list. */
__u64 cfi_functions_room(const struct cfi_elf *elf);
/* Write the list for the code at @start with @length bytes (below 2^31) to @to. *@nr: its
 * length. Return 0; -EFBIG: more work than for any compiler's file; -ESTALE: the file was
 * changed meanwhile. */
int cfi_functions_list(const struct cfi_elf *elf, __u64 start, __u64 length, __u32 *to, __u64 room,
		       __u32 *nr);

/* Return the begin of the function at @offset, or @offset if there is none. */
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
