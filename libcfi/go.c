// SPDX-License-Identifier: GPL-2.0-or-later
/* go.c -- correction of the unwind rows in Go's .debug_frame. The corrections follow from the
 * instructions of the described functions. */
#include "libcfi/go.h"

#include <stddef.h>

#include "libcfi/insn.h"

#define WORD		8
/* location of the saved frame pointer relative to the CFA, in words */
#define FP_SAVED	(-2)
#define FUNCTION_ALIGN	16

bool cfi_go_made(const struct cfi_elf *elf)
{
	struct cfi_elf_section found;

	return !cfi_elf_section(elf, ".go.buildinfo", &found);
}

/* Set *@calls to whether the code contains a call. Set *@leaves to whether the code may switch
 * to another stack, or return from a signal handler. */
static void scan_code(const unsigned char *code, __u64 size, bool *calls, bool *leaves)
{
	/* mov $15, eax or rax (15: the number of rt_sigreturn); syscall */
	static const unsigned char returns[] = { 15, 0, 0, 0, 0x0f, 0x05 };
	struct cfi_insn insn;

	*calls = *leaves = false;
	for (__u64 at = 0; at < size && !*leaves; at += insn.length) {
		cfi_insn_x86(code + at, size - at, true, &insn);
		*calls |= insn.kind == CFI_INSN_CALL;
		*leaves = insn.kind == CFI_INSN_LOSE_SP || insn.kind == CFI_INSN_FP_TO_SP ||
			  insn.kind == CFI_INSN_INVALID;
		if (at >= 4 && size - at >= 2 &&
		    !__builtin_memcmp(code + at - 4, returns, sizeof(returns)))
			*leaves = true;
	}
}

/* If the code saves the caller's frame pointer and sets its own, just after it has allocated the
 * frame, return the length of these instructions; otherwise return 0. */
static __u64 sets_fp(const unsigned char *code, __u64 size)
{
	if (size >= 3 && code[0] == 0x48 && code[1] == 0x89 && code[2] == 0xe5)
		return 3;	/* mov rsp, rbp */
	/* mov rbp, n(rsp); lea n(rsp), rbp */
	if (size >= 10 && code[0] == 0x48 && code[1] == 0x89 && code[2] == 0x6c &&
	    code[3] == 0x24 && code[5] == 0x48 && code[6] == 0x8d && code[7] == 0x6c &&
	    code[8] == 0x24)
		return 10;
	if (size >= 16 && code[0] == 0x48 && code[1] == 0x89 && code[2] == 0xac &&
	    code[3] == 0x24 && code[8] == 0x48 && code[9] == 0x8d && code[10] == 0xac &&
	    code[11] == 0x24)
		return 16;
	return 0;
}

/* If the code before @end restores the caller's frame pointer and removes the frame, return the
 * length of these instructions; otherwise return 0. */
static __u64 takes_frame(const unsigned char *end, __u64 size)
{
	/* mov n(rsp), rbp; add n, rsp */
	if (size >= 9 && end[-9] == 0x48 && end[-8] == 0x8b && end[-7] == 0x6c && end[-4] == 0x48 &&
	    end[-3] == 0x83 && end[-2] == 0xc4)
		return 4;
	if (size >= 15 && end[-15] == 0x48 && end[-14] == 0x8b && end[-13] == 0xac &&
	    end[-7] == 0x48 && end[-6] == 0x81 && end[-5] == 0xc4)
		return 7;
	return 0;
}

/* Return whether the code is that of Go's function goexit (nop; call; nop), to which the first
 * function of a goroutine returns. No other function has this code. */
static bool ends_goroutine(const unsigned char *code, __u64 size)
{
	return size == 7 && code[0] == 0x90 && code[1] == 0xe8 && code[6] == 0x90;
}

/* Emit a row for the part of @row from @from to @to. @saved: location of the caller's frame
 * pointer, enum oprofile_uw_saved. */
static int emit_part(const struct cfi_row *row, __u64 from, __u64 to, unsigned int saved,
		     cfi_emit emit, void *data)
{
	struct cfi_row part = *row;

	part.from = from;
	part.to = to;
	part.rule.saved = (__u8)((part.rule.saved & 0xf0) | saved);
	part.rule.fp_offset = saved == OPROFILE_UW_AT_CFA ? FP_SAVED : 0;
	return from < to ? emit(data, &part) : 0;
}

/* Emit rows for the parts of @row whose rule is correct; see cfi_go_row(). @row describes code that
 * has a frame. */
static int frame_row(struct cfi_go *go, const struct cfi_row *row, const unsigned char *code,
		     cfi_emit emit, void *data)
{
	const __u64 size = row->to - row->from, begin = sets_fp(code, size),
		    end = takes_frame(code + size, size);
	int err;

	go->sets_fp |= begin != 0;
	if (begin + end > size)
		return 0;
	err = emit_part(row, row->from, row->from + begin, OPROFILE_UW_SAME, emit, data);
	if (!err)
		err = emit_part(row, row->from + begin, row->to - end,
				go->sets_fp ? OPROFILE_UW_AT_CFA : OPROFILE_UW_LOST, emit, data);
	return err ? err : emit_part(row, row->to - end, row->to, OPROFILE_UW_SAME, emit, data);
}

/*
 * Emit rows for the parts of @row whose rule is correct. @row describes the function runtime.mcall.
 * This function switches to the stack of the thread's scheduler and calls a function that never
 * returns. Call paths end after the switch, because the scheduler's stack begins there.
 */
static int mcall_row(struct cfi_go *go, const struct cfi_row *row, const unsigned char *code,
		     cfi_emit emit, void *data)
{
	const __u64 size = row->to - row->from;
	struct cfi_row after = *row;
	struct cfi_insn insn;
	__u64 at = 0;
	int err;

	after.rule = (struct oprofile_uw_rule){ .cfa = OPROFILE_UW_CFA_END };
	while (at < size && !go->leaves_stack) {
		cfi_insn_x86(code + at, size - at, true, &insn);
		at += insn.length;
		go->leaves_stack = insn.kind == CFI_INSN_LOSE_SP;
	}
	if (at > size)
		at = size;
	after.from += at;
	err = emit_part(row, row->from, after.from, OPROFILE_UW_SAME, emit, data);
	return err || after.from == after.to ? err : emit(data, &after);
}

/* Reset the state of the iteration at the start of the function at @address. */
static void begin_function(struct cfi_go *go, const struct cfi_elf *elf, __u64 address)
{
	*go = (struct cfi_go){ .functions = go->functions, .left = go->left };
	if (!go->functions)
		return;
	go->is_outermost = cfi_go_is_outermost(go->functions, elf, address);
	go->is_mcall = cfi_go_has_name(go->functions, elf, address, "runtime.mcall");
}

int cfi_go_row(struct cfi_go *go, const struct cfi_elf *elf, const struct cfi_row *row,
	       cfi_emit emit, void *data)
{
	static const struct oprofile_uw_rule end = { .cfa = OPROFILE_UW_CFA_END };
	const __u64 size = row->to - row->from;
	const unsigned char *code;
	__u64 offset, left;
	bool calls, leaves;

	/* A new function starts here. Or code inside the current function is aligned like the start
	 * of a function: then begin_function() runs once more, which does no harm. */
	if (row->from % FUNCTION_ALIGN == 0 && row->rule.cfa_offset == WORD)
		begin_function(go, elf, row->from);
	if (elf->machine != OPROFILE_UW_X86_64 || row->rule.cfa != OPROFILE_UW_CFA_SP ||
	    !cfi_elf_code(elf, row->from, &offset, &left) || left < size || go->left < size)
		return 0;
	go->left -= size;
	code = elf->data + offset;
	if (go->is_mcall)
		return mcall_row(go, row, code, emit, data);
	scan_code(code, size, &calls, &leaves);
	go->leaves_stack |= leaves;
	if (!go->leaves_stack && row->rule.cfa_offset != WORD)
		return frame_row(go, row, code, emit, data);
	if (!go->leaves_stack && !calls)
		return emit(data, row);
	if (!go->is_outermost && !ends_goroutine(code, size))
		return 0;
	return emit(data, &(struct cfi_row){ .from = row->from, .to = row->to, .rule = end });
}
