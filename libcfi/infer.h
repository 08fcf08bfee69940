/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * infer.h -- rules for code without call frame information, found from its instructions.
 *
 * A rule is found in two ways. If a function begins by saving the frame pointer and setting its
 * own, its rules follow from there on. And the instructions from a position to the function's end
 * show the distance of the stack pointer from the return address. If neither succeeds, the rule is
 * CFA_CHAIN: a caller may be missing. Freestanding, like cfi.h.
 */
#ifndef LIBCFI_INFER_H
#define LIBCFI_INFER_H

#include "module/uapi/unwind.h"

/* A decoded x86 instruction, kept because searches decode the same instructions repeatedly. */
#define CFI_NR_DECODED	4096

struct cfi_decoded {
	__u32 behind;			/* 1 more than the offset; 0: the entry is free */
	__u8 kind, length;
	__s32 value, target;
};

/* A range of code; offsets below count from .at. */
struct cfi_code {
	const unsigned char *at;
	__u64 size;
	__u8 machine;			/* enum oprofile_uw_machine */
	/* CFI_NR_DECODED, zeroed before they are first used for the code; or NULL */
	struct cfi_decoded *decoded;
};

/* Called with each rule, which is valid from @offset to the next one. A nonzero result ends the
 * sweep. */
typedef int (*cfi_inferred)(void *data, __u64 offset, const struct oprofile_uw_rule *rule);

/* Find the rules of the code from @from up to @to. *@steps is the maximum of instructions to
 * decode, and becomes what is left; at 0 the rest gets no rules. 0, or what @inferred returned. */
int cfi_infer(const struct cfi_code *code, __u64 from, __u64 to, __u64 *steps,
	      cfi_inferred inferred, void *data);

/* Find the rule at @offset. *@steps is used as in cfi_infer(). For handlers. */
void cfi_infer_at(const struct cfi_code *code, __u64 offset, int is_behind_call, __u64 *steps,
		  struct oprofile_uw_rule *rule);

#endif
