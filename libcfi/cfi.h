/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi.h -- call frame information (.eh_frame, .debug_frame) as rows of rules.
 *
 * Freestanding: nothing here allocates, locks, prints, recurses or has state, so that a signal handler may
 * use it; what is read may be a stranger's, so every number is checked. x86_64, i386 and aarch64, in their
 * own (little-endian) byte order. What a rule means is told by module/uapi/unwind.h.
 */
#ifndef LIBCFI_CFI_H
#define LIBCFI_CFI_H

#include <stddef.h>

#include "module/uapi/unwind.h"
#include "module/uapi/unwind_walk.h"

enum cfi_form {
	CFI_EH_FRAME,
	CFI_DEBUG_FRAME,
};

struct cfi_section {
	const unsigned char *data;
	size_t size;
	/* the address of @data, by which addresses in it are counted */
	__u64 address;
	/* .eh_frame_hdr, which makes cfi_row_at() faster; NULL: none */
	const unsigned char *index;
	size_t index_size;
	__u64 index_address;
	__u8 machine;			/* enum oprofile_uw_machine */
	__u8 form;			/* enum cfi_form */
};

/* One rule, which holds from one address to before another. */
struct cfi_row {
	__u64 from, to;
	struct oprofile_uw_rule rule;
	__u8 installs;			/* the function saves what it returns too: it goes on where an exception is caught */
};

/* No compiler writes a longer section, and it would be too much work. */
#define CFI_MAX_SECTION		(256U << 20)

/*
 * Gives all rows to @emit, function by function as they stand in the section, each function's in ascending
 * order without gaps and no two alike in a row. What is not 0 of @emit ends it. Functions that cannot be read are
 * left out, what of one cannot be is UNSUPPORTED. 0, what @emit returned, -EFBIG, -EINVAL: no such machine.
 */
typedef int (*cfi_emit)(void *data, const struct cfi_row *row);
int cfi_compile(const struct cfi_section *section, cfi_emit emit, void *data);

/* The row at @pc. -ENOENT: there is none. */
int cfi_row_at(const struct cfi_section *section, __u64 pc, struct cfi_row *row);

/* Where the function that @pc is in begins and ends. -ENOENT: there is none. */
int cfi_function_at(const struct cfi_section *section, __u64 pc, __u64 *from, __u64 *to);

#endif
