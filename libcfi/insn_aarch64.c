// SPDX-License-Identifier: GPL-2.0-or-later
/* insn_aarch64.c -- decoder of aarch64 instructions. It reports effects on the stack pointer, the
 * frame pointer and the link register. */
#include "libcfi/insn.h"

#define FP	29
#define LR	30
#define SP	31

static __s64 signed_bits(__u32 code, unsigned int low, unsigned int nr)
{
	return ((__s64)((__u64)code << (64 - low - nr))) >> (64 - nr);
}

static unsigned int loses(unsigned int reg)
{
	return reg == FP ? CFI_INSN_LOSE_FP : reg == LR ? CFI_INSN_LOSE_LR : CFI_INSN_OTHER;
}

/* Record that a load or store accesses the register @reg, at the offset @at from sp. */
static void add_register(struct cfi_insn *insn, unsigned int reg, __s32 at)
{
	if (reg == FP) {
		insn->has_fp = 1;
		insn->fp_at = at;
	} else if (reg == LR) {
		insn->has_lr = 1;
		insn->lr_at = at;
	}
}

/* Decode a load or store of a pair of registers. If the addressing mode is 1, sp changes after the
 * access; with 2, sp does not change; with 3, sp changes before the access. */
static void decode_pair(__u32 code, struct cfi_insn *insn)
{
	unsigned int first = code & 31, second = code >> 10 & 31, base = code >> 5 & 31,
		     mode = code >> 23 & 3;
	bool is_load = code >> 22 & 1, is_vector = code >> 26 & 1;
	int size = is_vector  ? 4 << (code >> 30) :
		   code >> 31 ? 8 :
				4;
	__s32 offset = signed_bits(code, 15, 7) * size;

	if (base != SP) {
		if (is_load && !is_vector)
			insn->kind = loses(first) ? loses(first) : loses(second);
		if (mode & 1 && loses(base))
			insn->kind = loses(base);
		return;
	}
	insn->kind = is_load ? CFI_INSN_LOAD : CFI_INSN_STORE;
	insn->before = mode == 3 ? offset : 0;
	insn->after = mode == 1 ? offset : 0;
	if (is_vector)
		return;
	add_register(insn, first, mode & 1 ? 0 : offset);
	add_register(insn, second, (mode & 1 ? 0 : offset) + size);
	if (size != 8 && (insn->has_fp || insn->has_lr))
		insn->kind = CFI_INSN_INVALID;
}

/* Decode a load or store of a single register. */
static void decode_single(__u32 code, struct cfi_insn *insn)
{
	unsigned int reg = code & 31, base = code >> 5 & 31, size = code >> 30,
		     opc = code >> 22 & 3;
	bool is_vector = code >> 26 & 1, is_load = is_vector ? opc & 1 : opc != 0,
	     is_scaled = code >> 24 & 1;
	unsigned int mode = code >> 10 & 3;
	__s32 offset =
		is_scaled ? (__s32)(code >> 10 & 0xfff) << size : (__s32)signed_bits(code, 12, 9);
	bool moves = !is_scaled && !(code >> 21 & 1) && mode & 1;

	if (base != SP || is_vector || (!is_scaled && code >> 21 & 1)) {
		if (is_load && !is_vector)
			insn->kind = loses(reg);
		if (moves && base == SP) {
			insn->kind = CFI_INSN_STORE;
			insn->before = mode == 3 ? offset : 0;
			insn->after = mode == 1 ? offset : 0;
		} else if (moves && loses(base)) {
			insn->kind = loses(base);
		}
		return;
	}
	insn->kind = is_load ? CFI_INSN_LOAD : CFI_INSN_STORE;
	insn->before = moves && mode == 3 ? offset : 0;
	insn->after = moves && mode == 1 ? offset : 0;
	add_register(insn, reg, moves ? 0 : offset);
	if (size != 3 && is_load && (insn->has_fp || insn->has_lr))
		insn->kind = CFI_INSN_INVALID;
}

/* Decode a 64-bit add or sub with an immediate. */
static void decode_add(__u32 code, struct cfi_insn *insn)
{
	unsigned int to = code & 31, from = code >> 5 & 31;
	__s32 value = (code >> 10 & 0xfff) << (code >> 22 & 1 ? 12 : 0);

	insn->value = code >> 30 & 1 ? -value : value;
	if (code >> 29 & 1)	/* adds or subs, where register number 31 does not mean sp */
		insn->kind = loses(to);
	else if (to == SP)
		insn->kind = from == SP ? CFI_INSN_ADD_SP :
			     from == FP ? CFI_INSN_FP_TO_SP :
					  CFI_INSN_LOSE_SP;
	else if (to == FP && from == SP)
		insn->kind = CFI_INSN_SP_TO_FP;
	else
		insn->kind = loses(to);
}

static void decode_branch(__u32 code, struct cfi_insn *insn)
{
	if ((code & 0x7c000000) == 0x14000000) {
		insn->kind = code >> 31 ? CFI_INSN_CALL : CFI_INSN_JUMP;
		insn->target = signed_bits(code, 0, 26) * 4;
	} else if ((code & 0xfe000000) == 0x54000000 || (code & 0x7e000000) == 0x34000000) {
		insn->kind = CFI_INSN_BRANCH;
		insn->target = signed_bits(code, 5, 19) * 4;
	} else if ((code & 0x7e000000) == 0x36000000) {
		insn->kind = CFI_INSN_BRANCH;
		insn->target = signed_bits(code, 5, 14) * 4;
	} else if ((code & 0xfe000000) == 0xd6000000) {
		unsigned int what = code >> 21 & 7, reg = code >> 5 & 31;

		if (what == 1)
			insn->kind = CFI_INSN_CALL;
		else if (what == 2 && (reg == LR || code >> 10 & 3))
			insn->kind = CFI_INSN_RETURN;
		else
			insn->kind = CFI_INSN_JUMP_SOMEWHERE;
	} else if ((code & 0xff000000) == 0xd4000000) {
		/* execution continues after svc, but not after brk, hlt and others */
		insn->kind = (code & 0xffe0001f) == 0xd4000001 ? CFI_INSN_OTHER : CFI_INSN_STOP;
	} else if ((code & 0xffffffdf) == 0xd503231f || (code & 0xfffff01f) == 0xd503201f) {
		/* hint instructions, such as paciasp, autiasp and bti, do not change sp, fp or lr
		 * in a way that matters */
		insn->kind = CFI_INSN_OTHER;
	} else if ((code & 0xfff00000) == 0xd5300000) {
		insn->kind = loses(code & 31);	/* mrs, which writes to a general register */
	}
}

void cfi_insn_aarch64(const unsigned char *at, size_t size, struct cfi_insn *insn)
{
	__u32 code;

	*insn = (struct cfi_insn){ .kind = CFI_INSN_INVALID, .length = 4 };
	if (size < 4)
		return;
	__builtin_memcpy(&code, at, sizeof(code));
	insn->kind = CFI_INSN_OTHER;
	if (!(code & 0xffff0000))
		insn->kind = CFI_INSN_STOP;
	else if ((code & 0x1c000000) == 0x14000000)
		decode_branch(code, insn);
	else if ((code & 0x3a000000) == 0x28000000)
		decode_pair(code, insn);
	else if ((code & 0x3a000000) == 0x38000000)
		decode_single(code, insn);
	else if ((code & 0x9f800000) == 0x91000000)
		decode_add(code, insn);
	else if ((code & 0x1c000000) == 0x10000000 || (code & 0x0e000000) == 0x0a000000)
		/* among the data processing instructions, only logical operations with an
		 * immediate can write sp */
		insn->kind = (code & 0x1f800000) == 0x12000000 && (code & 31) == SP &&
					     (code >> 29 & 3) != 3 ?
				     CFI_INSN_LOSE_SP :
				     loses(code & 31);
	else if ((code & 0x0a000000) == 0x08000000)
		/* all other loads and stores may change their register */
		insn->kind = loses(code & 31);
	else if ((code & 0x7f200000) == 0x1e200000 && !(code & 0xfc00))
		/* a move from a floating-point register to a general register */
		insn->kind = loses(code & 31);
}
