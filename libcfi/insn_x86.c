// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * insn_x86.c -- decoder of x86 instructions: length, and effect on the stack and frame pointers.
 *
 * If the effects of an instruction are unknown and an operand is the stack or frame pointer, assume
 * that the instruction overwrites this register.
 */
#include "libcfi/insn.h"

#include <stdbool.h>

#define SP	4
#define FP	5

/*
 * For each one-byte opcode, a letter that describes the bytes after the opcode: m: ModRM; 1, w, z:
 * an immediate of 1, 2, 4 bytes (z: 2 with the operand size prefix); M, Z: ModRM and 1 or z; o: an
 * address; v: an immediate of the operand's size; p: the opcode is a prefix; f: a second opcode
 * byte; V: VEX or EVEX; x: the opcode is invalid.
 */
static const char one_byte[] =
	"mmmm1zxxmmmm1zxf" "mmmm1zxxmmmm1zxx" "mmmm1zpxmmmm1zpx" "mmmm1zpxmmmm1zpx"
	"pppppppppppppppp" "----------------" "xxVmppppzZ1M----" "1111111111111111"
	"MZxMmmmmmmmmmmmm" "----------x-----" "oooo----1z------" "11111111vvvvvvvv"
	"MMw-VVMZx-w--1x-" "mmmmxxx-mmmmmmmm" "1111111144x1----" "p-pp--mm------mm";

struct decode {
	const unsigned char *at, *end;
	bool is64, wide, narrow;	/* .wide: REX.W is set; .narrow: operands have 16 bits */
	/* .no_address: the instruction uses 16-bit addresses; compilers do not write such
	 * instructions */
	bool has_rex, no_address;
	unsigned int rex;		/* low four bits of the REX prefix */
	/* number of the opcode map (0: one-byte opcodes, 1: opcodes after 0f, 2: after 0f 38, 3:
	 * after 0f 3a), and opcode in this map */
	unsigned int map, opcode;
	bool is_vector;			/* the instruction has a VEX or EVEX prefix */
	bool has_modrm, is_memory, is_sp_disp, is_fp_disp;
	/* fields of the ModRM byte; .sub: .reg without its REX bit, which extends the opcode of
	 * some instructions */
	unsigned int reg, rm, sub;
	__s32 disp, immediate;
	bool ran_out;
};

static unsigned int next_byte(struct decode *d)
{
	if (d->at == d->end) {
		d->ran_out = true;
		return 0;
	}
	return *d->at++;
}

static __s32 decode_number(struct decode *d, unsigned int size)
{
	__u32 value = 0;

	for (unsigned int i = 0; i < size; i++)
		value |= (__u32)next_byte(d) << 8 * (i & 3);
	return size == 1 ? (__s8)value : size == 2 ? (__s16)value : (__s32)value;
}

static void decode_modrm(struct decode *d)
{
	unsigned int modrm = next_byte(d), mod = modrm >> 6, base, index = SP;
	bool has_base = true;

	d->has_modrm = true;
	d->sub = modrm >> 3 & 7;
	d->reg = d->sub | (d->rex & 4) << 1;
	base = modrm & 7;
	d->rm = base | (d->rex & 1) << 3;
	d->is_memory = mod != 3;
	if (!d->is_memory)
		return;
	if (base == 4) {
		unsigned int sib = next_byte(d);

		base = sib & 7;
		index = (sib >> 3 & 7) | (d->rex & 2) << 2;
	}
	if (mod == 0 && base == 5)
		has_base = false;
	d->disp = decode_number(d, mod == 1 ? 1 : mod == 2 || !has_base ? 4 : 0);
	if (has_base && index == SP && !(d->rex & 1)) {
		d->is_sp_disp = base == SP;
		d->is_fp_disp = base == FP;
	}
}

static char operands_of_0f(unsigned int opcode)
{
	switch (opcode) {
	case 0x05 ... 0x09: case 0x0b: case 0x0e: case 0x30 ... 0x37: case 0x77:
	case 0xa0 ... 0xa2: case 0xa8 ... 0xaa: case 0xc8 ... 0xcf:
		return '-';
	case 0x80 ... 0x8f:
		return '4';
	case 0x0f: case 0x70 ... 0x73: case 0xa4: case 0xac: case 0xba: case 0xc2:
	case 0xc4 ... 0xc6:
		return 'M';
	case 0x04: case 0x0a: case 0x0c: case 0x24 ... 0x27:
		return 'x';
	}
	return 'm';
}

/* Read the prefixes and the opcode. Return the kind of operands that follow: a letter of
 * one_byte[]. */
static char decode_opcode(struct decode *d)
{
	for (;;) {
		unsigned int byte = next_byte(d);
		char what = one_byte[byte];

		d->opcode = byte;
		if (byte >> 4 == 4 && !d->is64)
			return '-';
		if (what == 'p') {
			d->has_rex = byte >> 4 == 4;
			d->rex = d->has_rex ? byte & 15 : 0;
			d->wide = d->rex & 8;
			d->narrow |= byte == 0x66;
			d->no_address |= byte == 0x67 && !d->is64;
			if (d->ran_out)
				return 'x';
			continue;
		}
		if (what == 'V') {
			unsigned int next = next_byte(d);

			if (!d->is64 && next >> 6 != 3)
				return 'x';
			d->is_vector = true;
			d->rex = byte == 0xc5 ? (~next >> 7 & 1) << 2 : ~next >> 5 & 7;
			d->map = byte == 0xc5 ? 1 : next & (byte == 0x62 ? 7 : 31);
			if (byte != 0xc5)
				next_byte(d);
			if (byte == 0x62)
				next_byte(d);
			d->opcode = next_byte(d);
			if (d->map == 1 && d->opcode == 0x77)
				return '-';
			if (d->map == 3 || (d->map == 1 && operands_of_0f(d->opcode) == 'M'))
				return 'M';
			return d->map ? 'm' : 'x';
		}
		if (what != 'f')
			return what;
		d->opcode = next_byte(d);
		d->map = d->opcode == 0x38 ? 2 : d->opcode == 0x3a ? 3 : 1;
		if (d->map == 1)
			return operands_of_0f(d->opcode);
		d->opcode = next_byte(d);
		return d->map == 3 ? 'M' : 'm';
	}
}

static void decode_operands(struct decode *d, char what)
{
	unsigned int z = d->narrow ? 2 : 4;

	switch (what) {
	case 'm': case 'M': case 'Z':
		decode_modrm(d);
		if (what != 'm')
			d->immediate = decode_number(d, what == 'M' ? 1 : z);
		/* opcodes f6 and f7: only `test` has an immediate */
		else if (!d->map && (d->opcode == 0xf6 || d->opcode == 0xf7) && d->sub < 2)
			decode_number(d, d->opcode == 0xf6 ? 1 : z);
		break;
	case '1': d->immediate = decode_number(d, 1); break;
	case 'w': decode_number(d, 2); break;
	case 'z': d->immediate = decode_number(d, z); break;
	case '4': d->immediate = decode_number(d, 4); break;
	case 'o': decode_number(d, d->is64 ? 8 : 4); break;
	case 'v': decode_number(d, d->wide ? 8 : z); break;
	}
}

static unsigned int loses(unsigned int reg)
{
	return reg == SP ? CFI_INSN_LOSE_SP : reg == FP ? CFI_INSN_LOSE_FP : CFI_INSN_OTHER;
}

/* Return the kind of an instruction that may write either of its two operands: whether it makes sp
 * or fp unknown. */
static unsigned int loses_either(const struct decode *d)
{
	unsigned int kind = loses(d->reg);

	return d->is_memory || kind == CFI_INSN_LOSE_SP ? kind : loses(d->rm) ? loses(d->rm) : kind;
}

static unsigned int loses_rm(const struct decode *d)
{
	return d->is_memory ? CFI_INSN_OTHER : loses(d->rm);
}

/* Return whether an instruction on vector registers writes a general register. */
static bool writes_general(const struct decode *d)
{
	switch (d->map) {
	case 1:
		return d->opcode == 0x2c || d->opcode == 0x2d || d->opcode == 0x50 ||
		       d->opcode == 0x7e || d->opcode == 0x92 || d->opcode == 0x93 ||
		       d->opcode == 0xc5 || d->opcode == 0xd7;
	case 2:
		return d->opcode >= 0xf0;
	case 3:
		return (d->opcode >= 0x14 && d->opcode <= 0x17) || d->opcode == 0xf0;
	}
	return true;
}

static unsigned int classify_0f(const struct decode *d, struct cfi_insn *insn)
{
	unsigned int op = d->opcode;

	if (d->is_vector || d->map > 1)
		return !d->has_modrm || !writes_general(d) ? CFI_INSN_OTHER : loses_either(d);
	if (op == 0x0b || op == 0xff || op == 0xb9)
		return CFI_INSN_STOP;
	if (op >= 0x80 && op <= 0x8f) {
		insn->target = d->immediate;
		return CFI_INSN_BRANCH;
	}
	if (op >= 0xc8 && op <= 0xcf)
		return loses((op & 7) | (d->rex & 1) << 3);
	/* cmov, imul, movzx, movsx and bit scans write only to the first operand. */
	if ((op >= 0x40 && op <= 0x4f) || op == 0xaf || op == 0xb6 || op == 0xb7 ||
	    (op >= 0xbc && op <= 0xbf))
		return loses(d->reg);
	if (!d->has_modrm || op == 0x0d || (op >= 0x18 && op <= 0x1f) || op == 0xa3)
		return CFI_INSN_OTHER;
	/* bt with an immediate only reads its operand; bts, btr and btc write to it. */
	if (op == 0xba)
		return d->sub == 4 ? CFI_INSN_OTHER : loses_rm(d);
	if ((op >= 0x10 && op <= 0x2f) || (op >= 0x50 && op <= 0x7f) || op == 0xc2 ||
	    (op >= 0xc4 && op <= 0xc6) || op >= 0xd0)
		return writes_general(d) ? loses_either(d) : CFI_INSN_OTHER;
	return loses_either(d);
}

/* Classify mov and lea with operands of a word's size. */
static unsigned int classify_move(const struct decode *d, struct cfi_insn *insn)
{
	unsigned int to = d->opcode == 0x89 ? d->rm : d->reg;
	unsigned int from = d->opcode == 0x89 ? d->reg : d->rm;

	if (d->opcode != 0x8d && !d->is_memory) {
		if (to == FP && from == SP)
			return CFI_INSN_SP_TO_FP;
		if (to == SP && from == FP)
			return CFI_INSN_FP_TO_SP;
		return loses(to);
	}
	insn->value = d->disp;
	if (d->opcode == 0x89)
		return d->reg == FP && d->is_sp_disp ? CFI_INSN_STORE_FP : CFI_INSN_OTHER;
	if (d->opcode == 0x8b)
		return d->reg == FP && d->is_sp_disp ? CFI_INSN_LOAD_FP : loses(d->reg);
	if (d->reg == SP && d->is_sp_disp)
		return CFI_INSN_ADD_SP;
	if (d->reg == SP && d->is_fp_disp)
		return CFI_INSN_FP_TO_SP;
	if (d->reg == FP && d->is_sp_disp)
		return CFI_INSN_SP_TO_FP;
	return loses(d->reg);
}

static unsigned int classify_push(const struct decode *d, bool is_fp)
{
	if (d->narrow)
		return CFI_INSN_LOSE_SP;
	return is_fp ? CFI_INSN_PUSH_FP : CFI_INSN_PUSH;
}

static unsigned int classify_pop(const struct decode *d, unsigned int number)
{
	if (d->narrow || number == SP)
		return CFI_INSN_LOSE_SP;
	return number == FP ? CFI_INSN_POP_FP : CFI_INSN_POP;
}

static unsigned int classify_ff(const struct decode *d)
{
	switch (d->sub) {
	case 0: case 1: return loses_rm(d);
	case 2: return CFI_INSN_CALL;
	case 4: return CFI_INSN_JUMP_SOMEWHERE;
	case 6: return classify_push(d, !d->is_memory && d->rm == FP);
	}
	return CFI_INSN_INVALID;
}

/* Classify the instructions add, or, adc, sbb, and, sub, xor and cmp with an immediate. */
static unsigned int classify_immediate(const struct decode *d, struct cfi_insn *insn, bool is_word)
{
	bool is_sp = !d->is_memory && d->rm == SP && is_word && d->opcode != 0x80;

	if (d->sub == 7)
		return CFI_INSN_OTHER;
	insn->value = d->sub == 5 ? (__s32)(0U - (__u32)d->immediate) : d->immediate;
	if (is_sp && (d->sub == 0 || d->sub == 5))
		return CFI_INSN_ADD_SP;
	return d->opcode == 0x80 && !d->has_rex ? CFI_INSN_OTHER : loses_rm(d);
}

/* Classify instructions that do not push, pop, call, jump or return. */
static unsigned int classify_operation(const struct decode *d, struct cfi_insn *insn)
{
	unsigned int op = d->opcode;
	bool is_word = !d->narrow && (d->wide || !d->is64);

	switch (op) {
	case 0x40 ... 0x4f: return loses(op & 7);	/* on i386, these opcodes are inc and dec */
	case 0x89: case 0x8b: case 0x8d:
		if (is_word)
			return classify_move(d, insn);
		return op == 0x89 ? loses_rm(d) : loses(d->reg);
	case 0x80: case 0x81: case 0x83: return classify_immediate(d, insn, is_word);
	case 0x38 ... 0x3d: case 0x84: case 0x85: case 0xd8 ... 0xdf: return CFI_INSN_OTHER;
	case 0x00 ... 0x03: case 0x08 ... 0x0b: case 0x10 ... 0x13: case 0x18 ... 0x1b:
	case 0x20 ... 0x23: case 0x28 ... 0x2b: case 0x30 ... 0x33:
		if (!(op & 1) && !d->has_rex)
			return CFI_INSN_OTHER;
		return op & 2 ? loses(d->reg) : loses_rm(d);
	case 0x63: case 0x69: case 0x6b: return loses(d->reg);
	case 0x88: case 0xc6: case 0xc0: case 0xd0: case 0xd2: case 0xfe:
		return d->has_rex ? loses_rm(d) : CFI_INSN_OTHER;
	case 0x8a: return d->has_rex ? loses(d->reg) : CFI_INSN_OTHER;
	case 0xc1: case 0xc7: case 0xd1: case 0xd3: return loses_rm(d);
	case 0xf6: case 0xf7: return d->sub == 2 || d->sub == 3 ? loses_rm(d) : CFI_INSN_OTHER;
	case 0x91 ... 0x97: case 0xb8 ... 0xbf: return loses((op & 7) | (d->rex & 1) << 3);
	}
	return d->has_modrm ? loses_either(d) : CFI_INSN_OTHER;
}

static unsigned int classify(const struct decode *d, struct cfi_insn *insn)
{
	unsigned int op = d->opcode, number = (op & 7) | (d->rex & 1) << 3;

	if (d->map || d->is_vector)
		return classify_0f(d, insn);
	switch (op) {
	case 0x50 ... 0x57: return classify_push(d, number == FP);
	case 0x68: case 0x6a: case 0x9c: return classify_push(d, false);
	case 0x58 ... 0x5f: return classify_pop(d, number);
	case 0x9d: return d->narrow ? CFI_INSN_LOSE_SP : CFI_INSN_POP;
	case 0x8f: return d->is_memory && !d->narrow ? CFI_INSN_POP : CFI_INSN_LOSE_SP;
	case 0xe8: insn->target = d->immediate; return CFI_INSN_CALL;
	case 0xe9: case 0xeb: insn->target = d->immediate; return CFI_INSN_JUMP;
	case 0x70 ... 0x7f: case 0xe0 ... 0xe3:
		insn->target = d->immediate;
		return CFI_INSN_BRANCH;
	case 0xc2: case 0xc3: return CFI_INSN_RETURN;
	case 0xc9: return CFI_INSN_LEAVE;
	case 0xcc: case 0xf1: case 0xf4: case 0xca: case 0xcb: case 0xcf: return CFI_INSN_STOP;
	case 0xff: return classify_ff(d);
	}
	return classify_operation(d, insn);
}

/* An instruction of the kind @kind changes or uses an address by a distance that exceeds the size
 * of any stack. Return the kind to report instead: the kind that makes the register unknown. */
static unsigned int far(unsigned int kind)
{
	switch (kind) {
	case CFI_INSN_ADD_SP: case CFI_INSN_FP_TO_SP: return CFI_INSN_LOSE_SP;
	case CFI_INSN_SP_TO_FP: case CFI_INSN_LOAD_FP: return CFI_INSN_LOSE_FP;
	case CFI_INSN_STORE_FP: return CFI_INSN_OTHER;
	}
	return kind;
}

void cfi_insn_x86(const unsigned char *at, size_t size, bool is64, struct cfi_insn *insn)
{
	struct decode d = { .at = at, .end = at + (size < 15 ? size : 15), .is64 = is64 };
	char what = decode_opcode(&d);

	*insn = (struct cfi_insn){ .kind = CFI_INSN_INVALID, .length = 1 };
	if (what == 'x')
		return;
	decode_operands(&d, what);
	if (d.ran_out || d.no_address)
		return;
	insn->length = d.at - at;
	insn->kind = classify(&d, insn);
	if (insn->value > CFI_INSN_FAR || insn->value < -CFI_INSN_FAR) {
		insn->kind = far(insn->kind);
		insn->value = 0;
	}
	if (insn->kind == CFI_INSN_BRANCH || insn->kind == CFI_INSN_JUMP ||
	    insn->kind == CFI_INSN_CALL)
		insn->target += insn->length;
}
