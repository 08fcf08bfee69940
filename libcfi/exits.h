/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exits.h -- the places where code without rows is left, found from its instructions.
 *
 * Compilers at run time often enter their code by a jump from an interpreter's function. The code
 * runs on that function's frame then, and leaves by a jump back. Other made code is called, and
 * returns. The instructions from a place to an exit show how far the stack pointer moves on the
 * way, so the rule at the exit gives the rule at the place. x86_64 only. Freestanding, like cfi.h.
 */
#ifndef LIBCFI_EXITS_H
#define LIBCFI_EXITS_H

#include <stdbool.h>
#include <stddef.h>

#include "module/uapi/unwind.h"

enum cfi_exit_kind {
	CFI_EXIT_RETURN,
	CFI_EXIT_JUMP,	   /* to code outside of the made code, where the rule of .to holds */
	CFI_EXIT_LOST,	   /* the same, but the stack pointer is not known there */
	CFI_EXIT_ANYWHERE, /* by a jump to an address in a register or in memory */
};

/* What lies at an address where a jump leads to. */
enum cfi_code_kind {
	CFI_CODE_MADE,	/* It is followed further. */
	CFI_CODE_EXACT, /* The rule of each instruction is known. */
	/* Assembly whose rule holds where it jumps through a table, but perhaps not before. It is
	 * followed up to there. */
	CFI_CODE_COARSE,
};

/* Whether the frame pointer at an exit is the frame pointer at the place. */
enum cfi_exit_fp {
	CFI_FP_KEPT,
	CFI_FP_LOADED, /* It was loaded from the stack at .fp_at. */
	CFI_FP_LOST,
};

struct cfi_exit {
	__u8 kind;	 /* enum cfi_exit_kind */
	__u8 fp;	 /* enum cfi_exit_fp */
	bool is_plain;	 /* The way only takes values from the stack. */
	__s32 sp, fp_at; /* bytes from the stack pointer at the place */
	__s32 bx_at;	 /* where rbx was popped from; only if .is_plain; -1: nowhere */
	__u64 to;	 /* of CFI_EXIT_JUMP and CFI_EXIT_LOST */
};

struct cfi_exits_ops {
	/* Copy at most @size bytes of code at @address. Return the number of bytes. */
	size_t (*code)(void *data, __u64 address, unsigned char *to, size_t size);
	enum cfi_code_kind (*kind)(void *data, __u64 address);
	/* Take an exit. Return whether to go on. */
	bool (*exit)(void *data, const struct cfi_exit *exit);
};

/*
 * Give exits that the code at @pc leads to, as far as a limit of instructions. Return false if the
 * code keeps a frame pointer, or sets one and does not return otherwise: its chain is a better
 * guide.
 */
bool cfi_exits_find(__u64 pc, const struct cfi_exits_ops *ops, void *data);

#endif
