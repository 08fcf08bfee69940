/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * infer.h -- rules for code without call frame information, found from its instructions.
 *
 * Two facts give a rule. A function that begins by saving the frame pointer and setting its own is known from there on. And
 * the instructions from a place to the end of its function say how far the stack pointer has to move to come to the return address.
 * Where neither is found the rule is CFA_CHAIN: a caller may be missing. Freestanding, as cfi.h says.
 */
#ifndef LIBCFI_INFER_H
#define LIBCFI_INFER_H

#include "module/uapi/unwind.h"

/* An instruction of x86 that was decoded. Searches come to the same instructions again and again. */
#define CFI_NR_DECODED	4096

struct cfi_decoded {
	__u32 behind;			/* 1 more than the offset; 0: the entry is free */
	__u8 kind, length;
	__s32 value, target;
};

/* Bytes of code; offsets below are from .at on. */
struct cfi_code {
	const unsigned char *at;
	__u64 size;
	__u8 machine;			/* enum oprofile_uw_machine */
	struct cfi_decoded *decoded;	/* CFI_NR_DECODED, zeroed before they are first used for the code; or NULL */
};

/* Called with each rule, which holds from @offset on until the next one. What is not 0 ends it. */
typedef int (*cfi_inferred)(void *data, __u64 offset, const struct oprofile_uw_rule *rule);

/* Find the rules of the code from @from up to @to. *@steps is the maximum of instructions to decode, and becomes what is left; at 0
 * the rest gets no rules. 0, or what @inferred returned. */
int cfi_infer(const struct cfi_code *code, __u64 from, __u64 to, __u64 *steps, cfi_inferred inferred, void *data);

/* Find the rule at @offset. For handlers. */
void cfi_infer_at(const struct cfi_code *code, __u64 offset, int is_behind_call, struct oprofile_uw_rule *rule);

#endif
