/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insn.h -- decoders of machine instructions. A decoder reports only the effects of an instruction
 * on the stack pointer, the frame pointer and the link register.
 *
 * Freestanding, like cfi.h.
 */
#ifndef LIBCFI_INSN_H
#define LIBCFI_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* maximum absolute value of cfi_insn.value; no stack is larger */
#define CFI_INSN_FAR	(1 << 28)

enum cfi_insn_kind {
	CFI_INSN_OTHER,
	CFI_INSN_INVALID,	/* the bytes are not an instruction that the decoder knows */
	CFI_INSN_STOP,	/* an instruction that traps: execution does not continue after it */
	CFI_INSN_RETURN,
	CFI_INSN_CALL,
	CFI_INSN_JUMP,			/* a jump to .target */
	CFI_INSN_JUMP_SOMEWHERE,	/* a jump to an address in a register or in memory */
	CFI_INSN_BRANCH,		/* a conditional jump to .target */
	/* a push of a register other than the frame pointer, or of another word */
	CFI_INSN_PUSH,
	CFI_INSN_PUSH_FP,
	/* a pop of a word to a register other than sp and fp, or to memory */
	CFI_INSN_POP,
	CFI_INSN_POP_FP,
	CFI_INSN_LEAVE,			/* sp = fp, and pop fp */
	CFI_INSN_ADD_SP,		/* sp += .value */
	CFI_INSN_SP_TO_FP,		/* fp = sp + .value */
	CFI_INSN_FP_TO_SP,		/* sp = fp + .value */
	/* aarch64: sp += .before; store fp, lr or both relative to sp (see .has_fp); sp +=
	 * .after */
	CFI_INSN_STORE,
	/* aarch64: sp += .before; load fp, lr or both relative to sp (see .has_fp); sp += .after */
	CFI_INSN_LOAD,
	CFI_INSN_STORE_FP,		/* x86: a store of fp to sp + .value */
	CFI_INSN_LOAD_FP,
	CFI_INSN_LOSE_SP,		/* sp is unknown after the instruction */
	CFI_INSN_LOSE_FP,
	CFI_INSN_LOSE_LR,
};

struct cfi_insn {
	__u8 kind;			/* effect of the instruction, enum cfi_insn_kind */
	__u8 length;			/* length in bytes; at least 1 */
	/* aarch64: the STORE or LOAD accesses fp at sp + .fp_at (.has_fp), or lr at sp + .lr_at
	 * (.has_lr) */
	__u8 has_fp, has_lr;
	__s32 value, before, after, fp_at, lr_at;
	/* target of a jump or call, in bytes from the start of the instruction */
	__s64 target;
};

/* Decode the instruction in the @size bytes at @at into *@insn. */
void cfi_insn_x86(const unsigned char *at, size_t size, bool is64, struct cfi_insn *insn);
void cfi_insn_aarch64(const unsigned char *at, size_t size, struct cfi_insn *insn);

#endif
