/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi.h -- call frame information (.eh_frame, .debug_frame) as rows of rules.
 *
 * Freestanding: functions of libcfi do not allocate, lock, print, or recurse, and have no global
 * state, so that signal handlers may call them. The input is not trusted: all numbers are checked.
 * Machines: x86_64, i386 and aarch64, little-endian. module/uapi/unwind.h defines the rules.
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
	/* address at which the program has loaded the section; the section's addresses are relative
	 * to it */
	__u64 address;
	/* contents of .eh_frame_hdr, which makes cfi_row_at() faster; NULL: the file has no such
	 * section */
	const unsigned char *index;
	size_t index_size;
	__u64 index_address;
	__u8 machine;			/* machine of the code, enum oprofile_uw_machine */
	__u8 form;			/* form of the section, enum cfi_form */
};

/* A row of an unwind table: .rule is valid from the address .from up to but not including .to. */
struct cfi_row {
	__u64 from, to;
	struct oprofile_uw_rule rule;
	/*
	 * The function belongs to a language runtime and passes an exception to its handler
	 * (landing.h): it overwrites the registers with the handler's. Such functions are
	 * recognised because they save the register of return values together with the callee-saved
	 * registers.
	 */
	__u8 installs;
};

/* Maximum size of a section with call frame information, which bounds the work; compilers write
 * shorter sections. */
#define CFI_MAX_SECTION		(256U << 20)

/*
 * Call @emit for all rows of the section, in the order of its functions. The rows of a function are
 * in ascending order without gaps, and adjacent rows have different rules. A nonzero result of
 * @emit ends the loop. Functions whose entry cannot be parsed are skipped; parts of a function that
 * cannot be parsed get the rule UNSUPPORTED. Return 0, the result of @emit, -EFBIG if the section
 * is too large, or -EINVAL for an unknown machine.
 */
typedef int (*cfi_emit)(void *data, const struct cfi_row *row);
int cfi_compile(const struct cfi_section *section, cfi_emit emit, void *data);

/* Find the row at the address @pc. Return 0, or -ENOENT if no row describes this address. */
int cfi_row_at(const struct cfi_section *section, __u64 pc, struct cfi_row *row);

/* Find the start and the end of the function that contains the address @pc. Return 0, or -ENOENT
 * if the section describes no function at @pc. */
int cfi_function_at(const struct cfi_section *section, __u64 pc, __u64 *from, __u64 *to);

#endif
