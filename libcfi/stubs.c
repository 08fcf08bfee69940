// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stubs.c -- unwind rows for code that compilers do not describe: the linker's stubs, .init and
 * .fini, functions of crtbegin.o and crti.o, and the entry point.
 *
 * Stubs are recognised by the bytes of their instructions; code with other bytes gets no row.
 */
#include "libcfi/stubs.h"

#include <errno.h>
#include <stdbool.h>

#define SLOT	16		/* size of a slot of the PLT, in bytes */
#define ENTRY	128		/* maximum size of the code at an entry point, in bytes */

enum {				/* opcodes of aarch64 instructions */
	BTI_C = 0xd503245f, PACIASP = 0xd503233f, ARM_NOP = 0xd503201f,
	STP_X16_LR = 0xa9bf7bf0, STP_FP_LR = 0xa9bf7bfd, LDP_FP_LR = 0xa8c17bfd,
};

/* The bytes of a stub's code in the ELF file. */
struct code {
	const unsigned char *at;
	__u64 address, size;
	unsigned int word;
	cfi_emit emit;
	void *data;
};

static bool add_section(const struct cfi_elf *elf, const char *name, __u8 kind,
			struct cfi_stub *stub)
{
	struct cfi_elf_section section;

	if (cfi_elf_section(elf, name, &section) ||
	    section.address + section.size < section.address)
		return false;
	*stub = (struct cfi_stub){ kind, section.address, section.address + section.size };
	return true;
}

/*
 * Sizes in bytes of three functions of crtbegin.o. On x86_64 the call frame information does not
 * describe them. They run when the program exits. Their order in memory is: deregister_tm_clones,
 * register_tm_clones, and __do_global_dtors_aux, whose address is the first in .fini_array.
 */
#define TM_CLONES	0x70
#define DTORS		0x60

static unsigned int add_crt(const struct cfi_elf *elf, struct cfi_stub *stubs)
{
	struct cfi_elf_section section;
	__u64 dtors;

	if (elf->machine != OPROFILE_UW_X86_64 || cfi_elf_section(elf, ".fini_array", &section) ||
	    section.size < sizeof(dtors))
		return 0;
	__builtin_memcpy(&dtors, elf->data + section.offset, sizeof(dtors));
	if (dtors < TM_CLONES || dtors + DTORS < dtors)
		return 0;
	stubs[0] = (struct cfi_stub){ CFI_STUB_TM_CLONES, dtors - TM_CLONES, dtors };
	stubs[1] = (struct cfi_stub){ CFI_STUB_DTORS, dtors, dtors + DTORS };
	return 2;
}

/*
 * Position-independent i386 code gets its own address from small functions, one for each register:
 * mov (%esp), %reg; ret. The function in crti.o has no rows, and is part of every program. Linkers
 * put at most eight of these functions into a file. The same bytes may also be the end of another
 * function.
 */
#define THUNKS		8

static unsigned int add_thunks(const struct cfi_elf *elf, struct cfi_stub *stubs)
{
	struct cfi_elf_section text;
	unsigned int nr = 0;

	if (elf->machine != OPROFILE_UW_I386 || cfi_elf_section(elf, ".text", &text))
		return 0;
	for (__u64 at = -text.address & (SLOT - 1); at + 4 <= text.size && nr < THUNKS;
	     at += SLOT) {
		const unsigned char *code = elf->data + text.offset + at;

		if (code[0] == 0x8b && (code[1] & 0xc7) == 0x04 && code[2] == 0x24 &&
		    code[3] == 0xc3)
			stubs[nr++] = (struct cfi_stub){CFI_STUB_THUNK, text.address + at,
							text.address + at + 4};
	}
	return nr;
}

unsigned int cfi_stubs_find(const struct cfi_elf *elf, struct cfi_stub stubs[CFI_MAX_STUBS])
{
	unsigned int nr = 0;

	nr += add_section(elf, ".plt", CFI_STUB_PLT, &stubs[nr]);
	nr += add_section(elf, ".plt.got", CFI_STUB_PLT, &stubs[nr]);
	nr += add_section(elf, ".plt.sec", CFI_STUB_PLT, &stubs[nr]);
	nr += add_section(elf, ".iplt", CFI_STUB_PLT, &stubs[nr]);
	nr += add_section(elf, ".init", CFI_STUB_INIT, &stubs[nr]);
	nr += add_section(elf, ".fini", CFI_STUB_INIT, &stubs[nr]);
	nr += add_crt(elf, &stubs[nr]);
	nr += add_thunks(elf, &stubs[nr]);
	if (elf->entry && elf->entry + ENTRY > elf->entry)
		stubs[nr++] = (struct cfi_stub){ CFI_STUB_ENTRY, elf->entry, elf->entry + ENTRY };
	return nr;
}

void cfi_stubs_covered(struct cfi_stub *stubs, unsigned int nr, __u64 from, __u64 to)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (from >= stubs[i].to || to <= stubs[i].from)
			continue;
		stubs[i].to = from > stubs[i].from ? from : stubs[i].from;
	}
}

static int emit_row(const struct code *code, __u64 from, __u64 to, struct oprofile_uw_rule rule)
{
	struct cfi_row row = {.from = code->address + from, .to = code->address + to, .rule = rule};

	return from < to ? code->emit(code->data, &row) : 0;
}

static struct oprofile_uw_rule sp_and(__s32 offset)
{
	return (struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_SP, .cfa_offset = offset };
}

/* Emit the rows of one slot of x86's PLT. The slot pushes a word if the dynamic linker has not
 * resolved the slot's function yet. */
static int x86_slot(const struct code *code, __u64 from, __u64 to)
{
	const unsigned char *at = code->at + from;
	struct oprofile_uw_rule rule = { .cfa = OPROFILE_UW_CFA_PLT };
	int err;

	if (to - from == SLOT && at[0] == 0xff && (at[1] == 0x35 || at[1] == 0xb3)) {
		/* the first slot of the PLT, to which all other slots jump */
		err = emit_row(code, from, from + 6, sp_and(2 * code->word));
		return err ? err : emit_row(code, from + 6, to, sp_and(3 * code->word));
	}
	if (to - from == SLOT && at[0] == 0xff && at[6] == 0x68)
		rule.cfa_offset = 11;
	else if (to - from == SLOT && at[0] == 0xf3 && at[1] == 0x0f && at[2] == 0x1e &&
		 at[4] == 0x68)
		rule.cfa_offset = 9;
	else
		rule = sp_and(code->word);
	return emit_row(code, from, to, rule);
}

static int x86_plt(const struct code *code)
{
	int err = 0;

	for (__u64 from = 0; from < code->size && !err; from += SLOT)
		err = x86_slot(code, from, code->size - from < SLOT ? code->size : from + SLOT);
	return err;
}

/* If the instruction at @at moves the stack pointer down, return the distance in bytes, and set
 * *@length to the length of the instruction. Otherwise return 0. */
static int x86_pushes(const struct code *code, __u64 at, unsigned int *length)
{
	const unsigned char *byte = code->at + at;
	__u64 left = code->size - at;

	*length = 1;
	if (left >= 1 && (byte[0] == 0x53 || byte[0] == 0x55))
		return code->word;
	*length = code->word == 8 ? 4 : 3;
	if (left < *length || (code->word == 8 && *byte++ != 0x48))
		return 0;
	return byte[0] == 0x83 && byte[1] == 0xec && byte[2] < 0x80 ? byte[2] : 0;
}

/* If the instruction before @end moves the stack pointer up, return the distance in bytes, and set
 * *@length to the length of the instruction. Otherwise return 0. */
static int x86_pops(const struct code *code, __u64 end, unsigned int *length)
{
	const unsigned char *byte = code->at + end;
	unsigned int add = code->word == 8 ? 4 : 3;

	*length = add;
	if (end >= add && byte[-3] == 0x83 && byte[-2] == 0xc4 && byte[-1] < 0x80 &&
	    (code->word == 4 || byte[-4] == 0x48))
		return byte[-1];
	*length = 1;
	return end >= 1 && (byte[-1] == 0x5b || byte[-1] == 0x5d) ? code->word : 0;
}

/* Emit the rows of .init or .fini: the prologue from crti.o, calls, and the epilogue from
 * crtn.o. */
static int x86_init(const struct code *code)
{
	static const unsigned char endbr[] = { 0xf3, 0x0f, 0x1e };
	__u64 at = 0, from = 0, end = code->size;
	__s32 height = code->word, depth = code->word;
	unsigned int length;
	int moved, err = 0;

	if (!end || code->at[--end] != 0xc3)
		return 0;
	if (end > 4 && !__builtin_memcmp(code->at, endbr, sizeof(endbr)))
		at = 4;
	while (!err && (moved = x86_pushes(code, at, &length)) != 0) {
		at += length;
		err = emit_row(code, from, at, sp_and(height));
		from = at;
		height += moved;
	}
	for (at = end; (moved = x86_pops(code, at, &length)) != 0; at -= length)
		depth += moved;
	if (err || depth != height || at < from)
		return err;
	err = emit_row(code, from, at, sp_and(height));
	while (!err && at < end) {
		/* Emit a row for each instruction of the epilogue that moves the stack pointer
		 * up. */
		int one = code->at[at] == 0x5b || code->at[at] == 0x5d;

		length = one ? 1 : code->word == 8 ? 4 : 3;
		err = emit_row(code, at, at + length, sp_and(height));
		height -= one ? code->word : code->at[at + length - 1];
		at += length;
	}
	return err ? err : emit_row(code, end, code->size, sp_and(height));
}

/* Emit one row for both functions, deregister_tm_clones and register_tm_clones, which do not use
 * the stack. Recognise them by their size and their first instruction, a lea or mov of an address
 * of data. */
static int x86_tm_clones(const struct code *code)
{
	if (code->size != TM_CLONES ||
	    (code->at[0] != 0x48 && code->at[0] != 0xb8 && code->at[0] != 0xbf))
		return 0;
	return emit_row(code, 0, code->size, sp_and(code->word));
}

/* Emit the rows of two functions: __do_global_dtors_aux (cmpb $0, done(%rip); jne; push %rbp;
 * ... pop %rbp; ret) and frame_dummy ([endbr64;] jmp). */
static int x86_dtors(const struct code *code)
{
	static const unsigned char endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct oprofile_uw_rule pushed = { .cfa = OPROFILE_UW_CFA_SP, .cfa_offset = 16,
					   .saved = OPROFILE_UW_AT_CFA, .fp_offset = -2 };
	const unsigned char *at = code->at;
	__u64 push = 9, pop, end;
	int err;

	if (code->size < 32)
		return 0;
	if (!__builtin_memcmp(at, endbr, sizeof(endbr)))
		push += 4;
	if (at[push - 9] != 0x80 || at[push - 8] != 0x3d || at[push - 2] != 0x75 ||
	    at[push] != 0x55)
		return 0;
	for (pop = push + 1; pop + 2 < code->size && (at[pop] != 0x5d || at[pop + 1] != 0xc3);
	     pop++)
		;
	if (pop + 2 >= code->size)
		return 0;
	end = pop + 2;
	while (end + 9 < code->size && end % 16)
		end++;
	if (at[end] == 0xe9)
		end += 5;
	else if (!__builtin_memcmp(at + end, endbr, sizeof(endbr)) && at[end + 4] == 0xe9)
		end += 9;
	err = emit_row(code, 0, push + 1, sp_and(code->word));
	if (!err)
		err = emit_row(code, push + 1, pop + 1, pushed);
	return err ? err : emit_row(code, pop + 1, end, sp_and(code->word));
}

bool cfi_starts_context(const unsigned char *code, __u64 size)
{
	static const unsigned char endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	/* mov %rbx, %rsp; mov (%rsp), %rdi; test %rdi, %rdi */
	static const unsigned char begin[] = {0x48, 0x89, 0xdc, 0x48, 0x8b,
					      0x3c, 0x24, 0x48, 0x85, 0xff};

	if (size < sizeof(endbr) + sizeof(begin))
		return false;
	if (!__builtin_memcmp(code, endbr, sizeof(endbr)))
		code += sizeof(endbr);
	return !__builtin_memcmp(code, begin, sizeof(begin));
}

static __u32 arm_at(const struct code *code, __u64 at)
{
	__u32 instruction = 0;

	if (at + 4 <= code->size)
		__builtin_memcpy(&instruction, code->at + at, 4);
	return instruction;
}

static struct oprofile_uw_rule arm_leaf(void)
{
	return (struct oprofile_uw_rule){
		.cfa = OPROFILE_UW_CFA_SP, .saved = OPROFILE_UW_RETURN << 4, .other_offset = 30};
}

/* Return the rule of a function that has pushed its return address: the address is in the word just
 * below the CFA. @fp: the function has also pushed the caller's frame pointer. */
static struct oprofile_uw_rule arm_pushed(int fp)
{
	return (struct oprofile_uw_rule){.cfa = OPROFILE_UW_CFA_SP,
					 .cfa_offset = 16,
					 .saved = OPROFILE_UW_AT_CFA << 4 |
						  (fp ? OPROFILE_UW_AT_CFA : 0),
					 .fp_offset = fp ? -2 : 0,
					 .other_offset = -1};
}

static int arm_plt(const struct code *code)
{
	__u64 first = arm_at(code, 0) == BTI_C ? 4 : 0, behind = 0;
	int err = 0;

	if (arm_at(code, first) == STP_X16_LR) {
		behind = 2 * SLOT < code->size ? 2 * SLOT : code->size;
		err = emit_row(code, 0, first + 4, arm_leaf());
		if (!err)
			err = emit_row(code, first + 4, behind, arm_pushed(0));
	}
	return err ? err : emit_row(code, behind, code->size, arm_leaf());
}

static int arm_init(const struct code *code)
{
	__u32 head = arm_at(code, 0);
	__u64 from = head == BTI_C || head == PACIASP || head == ARM_NOP ? 4 : 0, to;
	int err;

	if (arm_at(code, from) != STP_FP_LR)
		return 0;
	from += 4;
	for (to = from; to < code->size && arm_at(code, to) != LDP_FP_LR; to += 4)
		;
	if (to >= code->size)
		return 0;
	to += 4;
	err = emit_row(code, 0, from, arm_leaf());
	if (!err)
		err = emit_row(code, from, to, arm_pushed(1));
	return err ? err : emit_row(code, to, code->size, arm_leaf());
}

/*
 * If the code at the entry point is that of the x86_64 dynamic linker, and @at follows its first
 * call, return the end of this code; otherwise return 0. The code calls a function that returns the
 * program's entry point, copies the result to r12, and ends with a jump to r12.
 */
static __u64 end_of_linker(const struct code *code, __u64 at)
{
	static const unsigned char keep[] = { 0x49, 0x89, 0xc4 }, jump[] = { 0x41, 0xff, 0xe4 };

	if (code->size - at < sizeof(keep) || __builtin_memcmp(code->at + at, keep, sizeof(keep)))
		return 0;
	for (at += sizeof(keep); code->size - at >= sizeof(jump); at++)
		if (!__builtin_memcmp(code->at + at, jump, sizeof(jump)))
			return at + sizeof(jump);
	return 0;
}

/*
 * Return the size of the code at the entry point. The next function may have no rows, and the rule
 * of the entry code does not apply to it. The code ends after a call that never returns: on x86 hlt
 * or ud2 follows this call; on aarch64 a second call follows. Without such a call, the code ends
 * where end_of_linker() says, or else after the first call. Without any call, it ends after SLOT
 * bytes.
 */
static __u64 entry_size(const struct code *code, unsigned int machine)
{
	unsigned int step = machine == OPROFILE_UW_AARCH64 ? 4 : 1;
	__u64 first = 0, linker;

	for (__u64 at = 8; at < code->size; at += step) {
		const unsigned char *next = code->at + at;

		if (!oprofile_uw_is_call(machine, next - 8))
			continue;
		if (step == 1 && next[0] == 0xf4)
			return at + 1;
		if (step == 1 && at + 2 <= code->size && next[0] == 0x0f && next[1] == 0x0b)
			return at + 2;
		if (step == 4 && at + 4 <= code->size && oprofile_uw_is_call(machine, next - 4))
			return at + 4;
		linker = machine == OPROFILE_UW_X86_64 ? end_of_linker(code, at) : 0;
		if (linker)
			return linker;
		if (!first)
			first = at;
	}
	if (first)
		return first;
	return code->size < SLOT ? code->size : SLOT;
}

int cfi_stub_rows(const struct cfi_elf *elf, const struct cfi_stub *stub, cfi_emit emit, void *data)
{
	struct code code = {
		.address = stub->from, .word = elf->is64 ? 8 : 4, .emit = emit, .data = data};
	int arm = elf->machine == OPROFILE_UW_AARCH64;
	__u64 offset, left;

	if (stub->from >= stub->to || !cfi_elf_code(elf, stub->from, &offset, &left))
		return 0;
	code.at = elf->data + offset;
	code.size = stub->to - stub->from < left ? stub->to - stub->from : left;
	switch (stub->kind) {
	case CFI_STUB_ENTRY:
		return emit_row(&code, 0, entry_size(&code, elf->machine),
				(struct oprofile_uw_rule){.cfa = OPROFILE_UW_CFA_END});
	case CFI_STUB_PLT:
		return arm ? arm_plt(&code) : x86_plt(&code);
	case CFI_STUB_THUNK:
		return emit_row(&code, 0, code.size, sp_and(code.word));
	case CFI_STUB_TM_CLONES:
		return x86_tm_clones(&code);
	case CFI_STUB_DTORS:
		return x86_dtors(&code);
	case CFI_STUB_INIT:
		return arm ? arm_init(&code) : x86_init(&code);
	}
	return -EINVAL;
}
