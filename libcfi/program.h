/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h -- interpreter of call frame instructions, which describe where a function saves
 * registers.
 */
#ifndef LIBCFI_PROGRAM_H
#define LIBCFI_PROGRAM_H

#include <stdbool.h>

#include "libcfi/bytes.h"
#include "libcfi/cfi.h"

/* The registers that unwinding needs. */
enum cfi_register {
	CFI_RETURN,			/* the register with the return address */
	CFI_SP,
	CFI_FP,
	CFI_BX,
	CFI_NR_REGISTERS
};

enum cfi_kind {
	CFI_UNSET,
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_AT_CFA,			/* the register was saved at CFA + .offset */
	/* the register was saved in the register with the number .offset */
	CFI_IN_REGISTER,
	CFI_AT_EXPRESSION,
	/* the location of the saved register cannot be expressed by a rule */
	CFI_OTHER
};

struct cfi_where {
	__u8 kind;	/* location of the caller's value of the register, enum cfi_kind */
	/* length in bytes of the DWARF expression for the location of the saved register */
	__u32 length;
	__s64 offset;
	const unsigned char *expression;
};

struct cfi_state {
	__u32 cfa_register;
	__u32 cfa_length;		/* length in bytes of the DWARF expression for the CFA */
	__s64 cfa_offset;
	/* the expression that computes the CFA; NULL: .cfa_register and .cfa_offset define the
	 * CFA */
	const unsigned char *cfa_expression;
	struct cfi_where where[CFI_NR_REGISTERS];
};

struct cfi_factors {
	__u64 code;
	__s64 data;
	__u8 machine;
	__u8 encoding;
	/* the entry describes code that calls rt_sigreturn() after a signal handler */
	__u8 signal;
};

/* Maximum number of states that DW_CFA_remember_state saves at a time; compilers need 1 or 2. */
#define CFI_REMEMBERED	8

struct cfi_run {
	struct cfi_factors factors;
	struct cfi_bytes program;
	const struct cfi_state *initial;
	struct cfi_state state;
	/* address of the first byte of the function's instructions, for relative addresses in
	 * them */
	__u64 program_address;
	const unsigned char *program_start;
	/* .rule is valid from .from up to .pc; the function ends at .to */
	__u64 from, pc, to;
	struct oprofile_uw_rule rule;
	bool changed;			/* the state has changed since .rule was computed */
	/* the function saves the register of return values (.installs in cfi.h); set when .pc is
	 * after the instruction that saves it */
	__u8 installs;
	unsigned int nr_remembered;
	struct cfi_state remembered[CFI_REMEMBERED];
};

/* Compute the initial state of the functions that share a CIE, by executing @program, the
 * instructions of the CIE. Return 0 or -EINVAL. */
int cfi_run_initial(struct cfi_state *initial, const struct cfi_factors *factors,
		    struct cfi_bytes program);

void cfi_run_begin(struct cfi_run *run, const struct cfi_factors *factors,
		   const struct cfi_state *initial, struct cfi_bytes program, __u64 program_address,
		   __u64 from, __u64 to);

/* Set *@row to the next row of the function and return 1, or return 0 at the end. */
int cfi_run_next(struct cfi_run *run, struct cfi_row *row);

#endif
