// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rule.c -- conversion of the state that the interpreter of call frame instructions computes
 * (program.h) to a rule of an unwind table.
 */
#include "libcfi/rule.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	OP_DEREF = 0x06,
	OP_AND = 0x1a,
	OP_MUL = 0x1e,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70,
};

const struct cfi_numbers *cfi_numbers(unsigned int machine)
{
	static const struct cfi_numbers numbers[] = {
		[OPROFILE_UW_X86_64] = { 8, 16, 7, 6, 3 },
		[OPROFILE_UW_I386] = { 4, 8, 4, 5, 3 },
		[OPROFILE_UW_AARCH64] = { 8, 30, 31, 29, 255 },
	};

	return machine && machine < sizeof(numbers) / sizeof(numbers[0]) ? &numbers[machine] : NULL;
}

static struct cfi_bytes expression(const struct cfi_where *where)
{
	if (where->kind != CFI_AT_EXPRESSION)
		return (struct cfi_bytes){ NULL, NULL, 1 };
	return (struct cfi_bytes){ where->expression, where->expression + where->length, 0 };
}

static bool fits16(__s64 value)
{
	return value >= -32768 && value <= 32767;
}

static bool fits32(__s64 value)
{
	return value >= -2147483647 - 1 && value <= 2147483647;
}

/* Parse a DWARF expression "register + offset". Return false for other expressions. */
static bool base(struct cfi_bytes *bytes, __u32 *number, __s64 *offset)
{
	unsigned int op = cfi_number(bytes, 1);

	if (bytes->failed || op < OP_BREG0 || op > OP_BREG0 + 31)
		return false;
	*number = op - OP_BREG0;
	*offset = cfi_sleb(bytes);
	return !bytes->failed && fits32(*offset);
}

/* Parse the DWARF expression that computes the CFA in a PLT. The CFA is sp + 1 word; after the push
 * instruction of a 16-byte PLT slot, it is sp + 2 words. Return false for other expressions. */
static bool plt(struct oprofile_uw_rule *rule, struct cfi_bytes bytes,
		const struct cfi_numbers *numbers)
{
	unsigned char shift = OP_LIT0 + (numbers->word == 8 ? 3 : 2), pushed;
	const unsigned char *ops;
	__u32 sp, pc;
	__s64 a, b;

	if (!base(&bytes, &sp, &a) || !base(&bytes, &pc, &b) || sp != numbers->sp ||
	    pc != numbers->pc || a != numbers->word || b)
		return false;
	ops = cfi_take(&bytes, 7);
	if (!ops || cfi_left(&bytes))
		return false;
	pushed = ops[2] - OP_LIT0;
	if (ops[0] != OP_LIT0 + 15 || ops[1] != OP_AND || pushed > 15 || ops[3] != OP_GE ||
	    ops[4] != shift || ops[5] != OP_SHL || ops[6] != OP_PLUS)
		return false;
	rule->cfa = OPROFILE_UW_CFA_PLT;
	rule->cfa_offset = pushed;
	return true;
}

static bool by_register(struct oprofile_uw_rule *rule, __u32 number, __s64 offset,
			const struct cfi_factors *factors, const struct cfi_numbers *numbers)
{
	if (!fits32(offset) || number >= oprofile_uw_nr_registers(factors->machine))
		return false;
	rule->cfa_offset = offset;
	if (number == numbers->sp) {
		rule->cfa = OPROFILE_UW_CFA_SP;
	} else if (number == numbers->fp) {
		rule->cfa = OPROFILE_UW_CFA_FP;
	} else {
		rule->cfa = OPROFILE_UW_CFA_REGISTER;
		rule->cfa_register = number;
	}
	return true;
}

/*
 * Parse the DWARF expression that computes the CFA in OpenSSL's bignum multiplication. This code
 * saves sp in its frame, above an array of variable length. The expression is *(sp + a + register *
 * word) + one or more words. Return false for other expressions.
 */
static bool indexed(struct oprofile_uw_rule *rule, struct cfi_bytes bytes,
		    const struct cfi_factors *factors, const struct cfi_numbers *numbers)
{
	const unsigned char *ops;
	__u32 sp, number;
	__s64 a, b;
	__u64 add;

	if (!base(&bytes, &sp, &a) || !base(&bytes, &number, &b) || sp != numbers->sp || b ||
	    number >= oprofile_uw_nr_registers(factors->machine))
		return false;
	ops = cfi_take(&bytes, 5);
	if (!ops || ops[0] != OP_LIT0 + numbers->word || ops[1] != OP_MUL || ops[2] != OP_PLUS ||
	    ops[3] != OP_DEREF || ops[4] != OP_PLUS_UCONST)
		return false;
	add = cfi_uleb(&bytes);
	if (bytes.failed || cfi_left(&bytes) || add % numbers->word || add / numbers->word > 255)
		return false;
	rule->cfa = OPROFILE_UW_CFA_AT_INDEX;
	rule->cfa_offset = a;
	rule->cfa_register = number;
	rule->cfa_add = add / numbers->word;
	return true;
}

/* Parse the addition of a constant in a DWARF expression. Return false for another operation. */
static bool read_addend(struct cfi_bytes *bytes, __u64 *ret)
{
	unsigned int op = cfi_number(bytes, 1);

	*ret = op - OP_LIT0;
	if (op == OP_PLUS_UCONST)
		*ret = cfi_uleb(bytes);
	else if (op < OP_LIT0 || op > OP_LIT0 + 31 || cfi_number(bytes, 1) != OP_PLUS)
		return false;
	return !bytes->failed;
}

/* Set the rule's CFA from the state of the interpreter. Return 1, or 0 if a rule cannot express the
 * CFA. */
static int cfa(struct oprofile_uw_rule *rule, const struct cfi_state *state,
	       const struct cfi_factors *factors, const struct cfi_numbers *numbers)
{
	struct cfi_bytes bytes;
	__u64 add = 0;
	__s64 offset;
	__u32 number;
	int deref;

	if (!state->cfa_expression)
		return by_register(rule, state->cfa_register, state->cfa_offset, factors, numbers);
	bytes = (struct cfi_bytes){state->cfa_expression, state->cfa_expression + state->cfa_length,
				   0};
	if (plt(rule, bytes, numbers) || indexed(rule, bytes, factors, numbers))
		return 1;
	if (!base(&bytes, &number, &offset))
		return 0;
	deref = cfi_left(&bytes) && *bytes.at == OP_DEREF;
	bytes.at += deref;
	if (cfi_left(&bytes) &&
	    (!read_addend(&bytes, &add) || cfi_left(&bytes) || add > 255 * 4))
		return 0;
	if (!deref)
		return by_register(rule, number, offset + (__s64)add, factors, numbers);
	if ((number != numbers->sp && number != numbers->fp) || add % numbers->word ||
	    add / numbers->word > 255)
		return 0;
	rule->cfa = number == numbers->sp ? OPROFILE_UW_CFA_AT_SP : OPROFILE_UW_CFA_AT_FP;
	rule->cfa_offset = offset;
	rule->cfa_add = add / numbers->word;
	return 1;
}

/* Return the location of a saved register as enum oprofile_uw_saved, or LOST if a rule cannot
 * express the location. */
static unsigned int saved(const struct cfi_where *where, const struct cfi_numbers *numbers,
			  __s16 *ret_offset)
{
	struct cfi_bytes bytes = expression(where);
	__s64 offset = where->offset;
	__u32 number;

	switch (where->kind) {
	case CFI_UNSET:
	case CFI_SAME:
		return OPROFILE_UW_SAME;
	case CFI_AT_CFA:
		if (offset % numbers->word || !fits16(offset / numbers->word))
			return OPROFILE_UW_LOST;
		*ret_offset = offset / numbers->word;
		return OPROFILE_UW_AT_CFA;
	case CFI_AT_EXPRESSION:
		if (!base(&bytes, &number, &offset) || cfi_left(&bytes) || !fits16(offset) ||
		    (number != numbers->fp && number != numbers->sp))
			return OPROFILE_UW_LOST;
		*ret_offset = offset;
		return number == numbers->fp ? OPROFILE_UW_AT_FP : OPROFILE_UW_AT_SP;
	}
	return OPROFILE_UW_LOST;
}

/* Set the location of the return address in @rule. Return false if a rule cannot express the
 * location. */
static bool return_address(struct oprofile_uw_rule *rule, const struct cfi_where *where,
			  const struct cfi_factors *factors, const struct cfi_numbers *numbers)
{
	unsigned int kind;

	if (where->kind == CFI_IN_REGISTER && where->offset >= 0 &&
	    where->offset < (__s64)oprofile_uw_nr_registers(factors->machine)) {
		rule->saved |= OPROFILE_UW_RETURN << 4;
		rule->other_offset = where->offset;
		return true;
	}
	if (factors->machine != OPROFILE_UW_AARCH64)
		return where->kind == CFI_AT_CFA && where->offset == -numbers->word;
	kind = saved(where, numbers, &rule->other_offset);
	if (kind == OPROFILE_UW_LOST)
		return false;
	if (kind == OPROFILE_UW_SAME) {
		kind = OPROFILE_UW_RETURN;
		rule->other_offset = numbers->pc;
	}
	rule->saved |= kind << 4;
	return true;
}

/* Set *@offset to the distance in bytes from sp to the location of a saved register. Return false
 * if the location is not relative to sp. */
static bool from_sp(const struct cfi_where *where, const struct cfi_state *state,
		    const struct cfi_numbers *numbers, __s64 *offset)
{
	struct cfi_bytes bytes = expression(where);
	__u32 number;

	if (where->kind == CFI_AT_EXPRESSION)
		return base(&bytes, &number, offset) && !cfi_left(&bytes) && number == numbers->sp;
	if (where->kind != CFI_AT_CFA || state->cfa_expression ||
	    state->cfa_register != numbers->sp || !fits32(state->cfa_offset) ||
	    !fits32(where->offset))
		return false;
	*offset = state->cfa_offset + where->offset;
	return true;
}

/*
 * Set the rule for a signal frame, in which the kernel has saved all registers in a struct
 * sigcontext. This struct defines the locations of the registers, so the rule contains only the
 * location of sp. Return false if the entry has another location for pc than struct sigcontext.
 */
static bool signal_frame(struct oprofile_uw_rule *rule, const struct cfi_state *state,
			const struct cfi_factors *factors, const struct cfi_numbers *numbers)
{
	struct oprofile_uw_rule at = { 0 };
	__s64 sp, pc;

	if (!from_sp(&state->where[CFI_SP], state, numbers, &sp)) {
		/* If the entry does not say where sp is saved, its CFA must be the interrupted
		 * stack pointer itself. */
		if (!cfa(&at, state, factors, numbers) || at.cfa != OPROFILE_UW_CFA_AT_SP ||
		    at.cfa_add)
			return false;
		sp = at.cfa_offset;
	}
	if (!from_sp(&state->where[CFI_RETURN], state, numbers, &pc) || !fits32(sp) ||
	    pc - sp != oprofile_uw_context_offset(factors->machine, OPROFILE_UW_PC))
		return false;
	rule->cfa = OPROFILE_UW_CFA_SIGNAL;
	rule->cfa_offset = sp;
	return true;
}

/*
 * Correct the CFA for calls through a PLT of aarch64: the PLT pushes two words, one of them the
 * return address, and jumps to glibc's resolver. The resolver's entry defines its CFA as the
 * address of these two words. So the return address is above the CFA, and after the resolver has
 * popped the two words, the CFA is below sp. Set the CFA to the caller's sp, which is the address
 * after the two words.
 */
static void count_pushed(struct oprofile_uw_rule *rule, const struct cfi_numbers *numbers)
{
	unsigned int fp = rule->saved & 15, ra = rule->saved >> 4;
	bool taken = ra == OPROFILE_UW_RETURN && rule->other_offset == numbers->pc &&
		    rule->cfa_offset == -2 * numbers->word;

	if (rule->cfa != OPROFILE_UW_CFA_SP ||
	    !(taken || (ra == OPROFILE_UW_AT_CFA && rule->other_offset == 1)))
		return;
	rule->cfa_offset += 2 * numbers->word;
	if (ra == OPROFILE_UW_AT_CFA)
		rule->other_offset -= 2;
	if (fp == OPROFILE_UW_AT_CFA)
		rule->fp_offset -= 2;
}

void cfi_rule(struct oprofile_uw_rule *rule, const struct cfi_state *state,
	      const struct cfi_factors *factors)
{
	const struct cfi_numbers *numbers = cfi_numbers(factors->machine);
	struct oprofile_uw_rule made = { 0 };
	int sound;

	if (state->where[CFI_RETURN].kind == CFI_UNDEFINED) {
		*rule = (struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_END };
		return;
	}
	if (factors->signal) {
		sound = signal_frame(&made, state, factors, numbers);
	} else {
		sound = (state->where[CFI_SP].kind == CFI_UNSET ||
			 state->where[CFI_SP].kind == CFI_SAME) &&
			cfa(&made, state, factors, numbers) &&
			return_address(&made, &state->where[CFI_RETURN], factors, numbers);
		made.saved |= saved(&state->where[CFI_FP], numbers, &made.fp_offset);
		if (factors->machine != OPROFILE_UW_AARCH64 && !(made.saved >> 4))
			made.saved |= saved(&state->where[CFI_BX], numbers, &made.other_offset)
				      << 4;
	}
	if (factors->machine == OPROFILE_UW_AARCH64)
		count_pushed(&made, numbers);
	*rule = sound ? made : (struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_UNSUPPORTED };
}
