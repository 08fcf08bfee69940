/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * infer.h -- rules for code without call frame information, found from its instructions.
 *
 * A rule is inferred in two ways. If a function begins by saving the frame pointer and setting its
 * own, its rules follow from its beginning on. The instructions from a position to the function's
 * end show the distance of the stack pointer from the return address. If neither way succeeds, the
 * rule is CFA_CHAIN: the chain of frame pointers, in which a caller may be missing. Freestanding,
 * like cfi.h.
 */
#ifndef LIBCFI_INFER_H
#define LIBCFI_INFER_H

#include "module/uapi/unwind.h"

/* Decoded x86 instructions are kept in a cache, because searches decode the same instructions
 * repeatedly. */
#define CFI_NR_DECODED	4096

struct cfi_decoded {
	__u32 behind;			/* offset of the instruction plus 1; 0: the entry is free */
	__u8 kind, length;
	__s32 value, target;
};

/* A range of code. All offsets in this file count from .at. */
struct cfi_code {
	const unsigned char *at;
	__u64 size;
	__u8 machine;			/* machine of the code, enum oprofile_uw_machine */
	/* cache of CFI_NR_DECODED instructions, which the caller zeroes for each new range of code;
	 * or NULL */
	struct cfi_decoded *decoded;
};

/* Called with each rule, which is valid from @offset to the offset of the next rule. A nonzero
 * result ends cfi_infer(). */
typedef int (*cfi_inferred)(void *data, __u64 offset, const struct oprofile_uw_rule *rule);

/*
 * Infer the rules of the code from @from up to @to. *@steps is the maximum number of instructions
 * to decode, and is decreased; when it reaches 0, the rest of the code gets no rules. Return 0, or
 * the result of @inferred.
 */
int cfi_infer(const struct cfi_code *code, __u64 from, __u64 to, __u64 *steps,
	      cfi_inferred inferred, void *data);

/* Infer the rule at @offset. @is_behind_call: @offset is a return address. *@steps is used as in
 * cfi_infer(). Signal handlers may call this function. */
void cfi_infer_at(const struct cfi_code *code, __u64 offset, int is_behind_call, __u64 *steps,
		  struct oprofile_uw_rule *rule);

#endif
