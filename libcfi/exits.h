/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exits.h -- exits of code that has no unwind table, found from the code's instructions.
 *
 * Code that is compiled at run time is often entered by a jump from a function of an interpreter.
 * The code then uses this function's frame, and leaves by a jump back to the function. Other
 * compiled code is called, and returns. The instructions from a start pc to an exit show how far
 * the stack pointer moves between them, so the rule at the exit gives the rule at the start pc.
 * x86_64 only. Freestanding, like cfi.h.
 */
#ifndef LIBCFI_EXITS_H
#define LIBCFI_EXITS_H

#include <stdbool.h>
#include <stddef.h>

#include "module/uapi/unwind.h"

enum cfi_exit_kind {
	CFI_EXIT_RETURN,
	/* exit by a jump to code that was not made at run time, where the rule of .to holds */
	CFI_EXIT_JUMP,
	/* exit by a jump to code that was not made at run time; the stack pointer is not known
	 * after the jump */
	CFI_EXIT_LOST,
	CFI_EXIT_ANYWHERE, /* exit by a jump to an address in a register or in memory */
};

/* The kind of code at the target of a jump. */
enum cfi_code_kind {
	CFI_CODE_MADE,	/* The target is JIT code, into which the search continues. */
	CFI_CODE_EXACT, /* Code for which the rule of each instruction is known. */
	/* Assembly code whose rule is known to be valid only where the code jumps through a table.
	 * The code is followed up to this jump. */
	CFI_CODE_COARSE,
};

/* The relation of the frame pointer at an exit to the frame pointer at the start pc. CFI_FP_KEPT:
 * they are equal. */
enum cfi_exit_fp {
	CFI_FP_KEPT,
	CFI_FP_LOADED, /* The frame pointer was loaded from the stack at .fp_at. */
	CFI_FP_LOST,
};

struct cfi_exit {
	__u8 kind;	 /* kind of the exit, enum cfi_exit_kind */
	__u8 fp;	 /* state of the frame pointer at the exit, enum cfi_exit_fp */
	bool is_plain;	 /* The instructions up to the exit only remove values from the stack. */
	/* .sp: stack pointer at the exit; .fp_at: address for CFI_FP_LOADED; both in bytes from the
	 * stack pointer at the start pc */
	__s32 sp, fp_at;
	/* address from which rbx was popped, in bytes from the stack pointer at the start pc; -1:
	 * rbx was not popped; only if .is_plain */
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
 * Call ops->exit() for the exits that the code at @pc leads to, within a limit of instructions.
 * Return false if the code keeps a frame pointer, or sets a frame pointer and has no `ret`: the
 * chain of frame pointers then gives a better rule.
 */
bool cfi_exits_find(__u64 pc, const struct cfi_exits_ops *ops, void *data);

#endif
