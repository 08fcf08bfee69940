/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insn.h -- the effects of an instruction on the stack pointer, the frame pointer and the link
 * register.
 *
 * Other effects are ignored. Freestanding, like cfi.h.
 */
#ifndef LIBCFI_INSN_H
#define LIBCFI_INSN_H

#include <stddef.h>
#include <linux/types.h>

#define CFI_INSN_FAR	(1 << 28)	/* maximum of cfi_insn.value; no stack is as large */

enum cfi_insn_kind {
	CFI_INSN_OTHER,
	CFI_INSN_INVALID,		/* it cannot be decoded */
	CFI_INSN_STOP,			/* execution does not continue after it: a trap */
	CFI_INSN_RETURN,
	CFI_INSN_CALL,
	CFI_INSN_JUMP,			/* to @target */
	CFI_INSN_JUMP_SOMEWHERE,	/* to an address in a register or in memory */
	CFI_INSN_BRANCH,		/* to @target, or to the next instruction */
	CFI_INSN_PUSH,			/* a word that is not the frame pointer */
	CFI_INSN_PUSH_FP,
	/* a word to a register that is neither sp nor fp, or to memory */
	CFI_INSN_POP,
	CFI_INSN_POP_FP,
	CFI_INSN_LEAVE,			/* sp = fp, and pop fp */
	CFI_INSN_ADD_SP,		/* sp += @value */
	CFI_INSN_SP_TO_FP,		/* fp = sp + @value */
	CFI_INSN_FP_TO_SP,		/* sp = fp + @value */
	/* aarch64: to sp + @value, after sp += @before; sp += @after; see .fp_at, .lr_at */
	CFI_INSN_STORE,
	CFI_INSN_LOAD,			/* likewise, a load */
	CFI_INSN_STORE_FP,		/* x86: to sp + @value */
	CFI_INSN_LOAD_FP,
	CFI_INSN_LOSE_SP,		/* sp is unknown afterwards */
	CFI_INSN_LOSE_FP,
	CFI_INSN_LOSE_LR,
};

struct cfi_insn {
	__u8 kind;			/* enum cfi_insn_kind */
	__u8 length;			/* bytes; at least 1 */
	/* aarch64: STORE and LOAD have the register, at sp + .fp_at or .lr_at */
	__u8 has_fp, has_lr;
	__s32 value, before, after, fp_at, lr_at;
	__s64 target;			/* bytes from the start of the instruction */
};

/* Decode the instruction in the @size bytes at @at. */
void cfi_insn_x86(const unsigned char *at, size_t size, int is64, struct cfi_insn *insn);
void cfi_insn_aarch64(const unsigned char *at, size_t size, struct cfi_insn *insn);

#endif
