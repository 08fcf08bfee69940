/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exits.h -- search for the exits of code that has no unwind table, by decoding its instructions.
 *
 * A function of an interpreter often enters JIT code (code that is compiled at run time) by a jump.
 * Such JIT code uses the frame of that function, and exits by a jump back to the function. Other
 * JIT code is entered by a call and exits by a return. The instructions from a start pc to an exit
 * show the change of the stack pointer. So the unwind rule at the exit determines the unwind rule
 * at the start pc. x86_64 only. Freestanding, like cfi.h.
 */
#ifndef LIBCFI_EXITS_H
#define LIBCFI_EXITS_H

#include <stdbool.h>
#include <stddef.h>

#include "module/uapi/unwind.h"

enum cfi_exit_kind {
	CFI_EXIT_RETURN,
	/* jump to code that is not JIT code; the unwind rule at .to is valid after the jump */
	CFI_EXIT_JUMP,
	/* jump to code that is not JIT code; the stack pointer is unknown after the jump */
	CFI_EXIT_LOST,
	CFI_EXIT_ANYWHERE, /* jump to an address in a register or in memory */
};

/* The kind of code at the target of a jump. */
enum cfi_code_kind {
	CFI_CODE_MADE,	/* JIT code, in which the search continues */
	CFI_CODE_EXACT, /* code for which the unwind rule of each instruction is known */
	/* Code written in assembly, such as an interpreter. Its unwind rule is only valid at the
	 * indirect jump at the end of the code, so the search continues up to this jump. */
	CFI_CODE_COARSE,
};

/* Relation between the frame pointer at an exit and the frame pointer at the start pc. CFI_FP_KEPT:
 * they are equal. */
enum cfi_exit_fp {
	CFI_FP_KEPT,
	CFI_FP_LOADED, /* the frame pointer was loaded from the stack at .fp_at */
	CFI_FP_LOST,
};

struct cfi_exit {
	__u8 kind;	 /* kind of the exit, enum cfi_exit_kind */
	__u8 fp;	 /* frame pointer at the exit, enum cfi_exit_fp */
	bool is_plain;	 /* the instructions up to the exit only pop values from the stack */
	/* .sp: stack pointer at the exit; .fp_at: location for CFI_FP_LOADED; both in bytes
	 * relative to the stack pointer at the start pc */
	__s32 sp, fp_at;
	/* location from which rbx was popped, in bytes relative to the stack pointer at the start
	 * pc; -1: rbx was not popped. Valid only with .is_plain */
	__s32 bx_at;
	__u64 to;	 /* target of a CFI_EXIT_JUMP or CFI_EXIT_LOST */
};

struct cfi_exits_ops {
	/* Copy at most @size bytes of code at @address to @to. Return the number of copied
	 * bytes. */
	size_t (*code)(void *data, __u64 address, unsigned char *to, size_t size);
	enum cfi_code_kind (*kind)(void *data, __u64 address);
	/* Called for each exit. Return whether to search for more exits. */
	bool (*exit)(void *data, const struct cfi_exit *exit);
};

/*
 * Call ops->exit() for each exit that the code at @pc can reach. The search decodes a limited
 * number of instructions. Return false if the code uses a frame pointer, or if it sets one and has
 * no `ret`: in these cases the chain of frame pointers gives a better rule.
 */
bool cfi_exits_find(__u64 pc, const struct cfi_exits_ops *ops, void *data);

#endif
