/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * infer.h -- inference of rules for code without call frame information, from its instructions.
 *
 * A rule is inferred in two ways. Forwards: if a function starts by saving the caller's frame
 * pointer and setting its own, the rules follow from its instructions, from the start on.
 * Backwards: the instructions from a position to the end of its function show the distance of the
 * stack pointer from the return address. If both ways fail, the rule is CFA_CHAIN: the chain of
 * frame pointers, in which a caller may be missing. Freestanding, like cfi.h.
 */
#ifndef LIBCFI_INFER_H
#define LIBCFI_INFER_H

#include <stdbool.h>

#include "module/uapi/unwind.h"

/* Number of entries of the cache of decoded x86 instructions. Searches decode the same
 * instructions repeatedly. */
#define CFI_NR_DECODED	4096

struct cfi_decoded {
	/* offset of the instruction plus 1, so that 0 means an empty entry */
	__u32 behind;
	__u8 kind, length;
	__s32 value, target;
};

/* A range of code. All offsets in this header are relative to .at. */
struct cfi_code {
	const unsigned char *at;
	__u64 size;
	__u8 machine;			/* machine of the code, enum oprofile_uw_machine */
	/* cache of CFI_NR_DECODED instructions, which the caller must zero for each new range of
	 * code; NULL: no cache */
	struct cfi_decoded *decoded;
};

/* Called for each rule, which is valid from @offset to the offset of the next rule. A nonzero
 * result ends cfi_infer(). */
typedef int (*cfi_inferred)(void *data, __u64 offset, const struct oprofile_uw_rule *rule);

/*
 * Infer the rules of the code from @from up to @to. *@steps: maximum number of instructions to
 * decode; decreased by the number of decoded instructions. If it becomes 0, the rest of the code
 * gets no rules. Return 0, or the result of @inferred.
 */
int cfi_infer(const struct cfi_code *code, __u64 from, __u64 to, __u64 *steps,
	      cfi_inferred inferred, void *data);

/* Infer the rule at @offset. @is_after_call: a call ends at @offset. *@steps: see cfi_infer(). May
 * be called in signal handlers. */
void cfi_infer_at(const struct cfi_code *code, __u64 offset, bool is_after_call, __u64 *steps,
		  struct oprofile_uw_rule *rule);

#endif
