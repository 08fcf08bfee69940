/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi.h -- call frame information (.eh_frame, .debug_frame) as rows of rules.
 *
 * Freestanding: no function allocates, locks, prints, recurses or has state, so that signal
 * handlers may use them. The input is not trusted: all numbers are checked. Machines: x86_64, i386
 * and aarch64, little-endian. module/uapi/unwind.h defines the rules.
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
	/* the address of @data, to which addresses in it are relative */
	__u64 address;
	/* .eh_frame_hdr, which makes cfi_row_at() faster; NULL: none */
	const unsigned char *index;
	size_t index_size;
	__u64 index_address;
	__u8 machine;			/* enum oprofile_uw_machine */
	__u8 form;			/* enum cfi_form */
};

/* A rule, which is valid from one address to before another. */
struct cfi_row {
	__u64 from, to;
	struct oprofile_uw_rule rule;
	/* the function saves the return value, too: it continues in an exception's handler */
	__u8 installs;
};

/* Maximum size of a section, which bounds the work; no compiler writes a longer one. */
#define CFI_MAX_SECTION		(256U << 20)

/*
 * Call @emit for all rows, function by function in the section's order. A function's rows ascend
 * without gaps, and no two successive rows are equal. A nonzero result of @emit ends the loop.
 * Unreadable functions are skipped; unreadable parts of a function have the rule UNSUPPORTED.
 * Return 0, the result of @emit, -EFBIG, or -EINVAL for an unknown machine.
 */
typedef int (*cfi_emit)(void *data, const struct cfi_row *row);
int cfi_compile(const struct cfi_section *section, cfi_emit emit, void *data);

/* Find the row at @pc. Return 0, or -ENOENT if there is none. */
int cfi_row_at(const struct cfi_section *section, __u64 pc, struct cfi_row *row);

/* Find the begin and end of the function at @pc. Return 0, or -ENOENT if there is none. */
int cfi_function_at(const struct cfi_section *section, __u64 pc, __u64 *from, __u64 *to);

#endif
