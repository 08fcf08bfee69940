/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made.h -- the file of a process's JIT code: unwind rules and ends of call instructions, by
 * address and time.
 *
 * A process may replace code by other code at the same address. So each piece of code is valid from
 * the time at which the process loaded it. A sample belongs to the piece at its address that was
 * loaded last before the sample.
 *
 * Freestanding, like cfi.h.
 */
#ifndef LIBCFI_MADE_H
#define LIBCFI_MADE_H

#include <stdbool.h>

#include "module/uapi/unwind.h"

#define CFI_MADE_MAGIC		0x314d574fU	/* the bytes "OWM1" */
#define CFI_MADE_MAX_CODES	(1U << 20)
#define CFI_MADE_MAX_ROWS	(1U << 21)
#define CFI_MADE_MAX_CALLS	(1U << 22)

/* The header of the file. The pieces of code, their unwind rows and the ends of calls follow the
 * header. Numbers have the machine's byte order, because the file stays on the machine. */
struct cfi_made {
	__u32 magic;
	__u32 machine;			/* machine of the code, enum oprofile_uw_machine */
	__u32 nr_codes, nr_rows, nr_calls;
	__u32 reserved;
};

/* A piece of JIT code. The file has the pieces in order of .start. */
struct cfi_made_code {
	__u64 start;
	__u64 reach;	/* highest end address of this piece and of all pieces with lower indexes */
	__u64 time;			/* time at which the process loaded the piece, in ns; 0:
					 * unknown */
	__u32 size;
	/* position of the piece in the order of loading: a piece that was loaded later has a higher
	 * number */
	__u32 order;
	/* unwind rows of this piece; nr_rows 0: the process has not described the frames of this
	 * code */
	__u32 first_row, nr_rows;
	__u32 first_call, nr_calls;
};

/* An unwind row. It is valid from its offset in a piece of code to the offset of the piece's next
 * row. The rows of a piece are in ascending order. */
struct cfi_made_row {
	__u32 offset;
	struct oprofile_uw_rule rule;
};

OPROFILE_UW_INLINE const struct cfi_made_code *cfi_made_codes(const struct cfi_made *made)
{
	return (const struct cfi_made_code *)(made + 1);
}

OPROFILE_UW_INLINE const struct cfi_made_row *cfi_made_rows(const struct cfi_made *made)
{
	return (const struct cfi_made_row *)(cfi_made_codes(made) + made->nr_codes);
}

/* Return the array of offsets at which calls end. Each offset is relative to the start of its piece
 * of code; the offsets of a piece ascend. */
OPROFILE_UW_INLINE const __u32 *cfi_made_calls(const struct cfi_made *made)
{
	return (const __u32 *)(cfi_made_rows(made) + made->nr_rows);
}

OPROFILE_UW_INLINE __u64 cfi_made_size(const struct cfi_made *made)
{
	return sizeof(*made) + made->nr_codes * (__u64)sizeof(struct cfi_made_code) +
	       made->nr_rows * (__u64)sizeof(struct cfi_made_row) +
	       made->nr_calls * (__u64)sizeof(__u32);
}

/* Return whether the @size bytes at @made, aligned to 8, are a valid file. All other functions
 * accept only a valid file. */
bool cfi_made_is_valid(const struct cfi_made *made, __u64 size);

/* Return the piece of code at @address that was loaded last, at @time or earlier; or NULL. */
const struct cfi_made_code *cfi_made_find(const struct cfi_made *made, __u64 address, __u64 time);

/* Return the unwind rule at @address in @code, or NULL if no row covers the address. */
const struct oprofile_uw_rule *cfi_made_rule(const struct cfi_made *made,
					     const struct cfi_made_code *code, __u64 address);

/* Return whether a call instruction ends at @address, which is in @code or just after it. */
bool cfi_made_is_after_call(const struct cfi_made *made, const struct cfi_made_code *code,
			  __u64 address);

#endif
