/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h -- runs the instructions of a function's entry, which tell how its registers are saved.
 */
#ifndef LIBCFI_PROGRAM_H
#define LIBCFI_PROGRAM_H

#include "libcfi/bytes.h"
#include "libcfi/cfi.h"

/* The registers that are of use; all others are passed over. */
enum cfi_register {
	CFI_RETURN,			/* the return address */
	CFI_SP,
	CFI_FP,
	CFI_BX,
	CFI_NR_REGISTERS
};

enum cfi_kind {
	CFI_UNSET,
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_AT_CFA,			/* at CFA + offset */
	CFI_IN_REGISTER,		/* in register number offset */
	CFI_AT_EXPRESSION,
	CFI_OTHER			/* what no rule can tell */
};

struct cfi_where {
	__u8 kind;			/* enum cfi_kind */
	__u32 length;			/* of the expression */
	__s64 offset;
	const unsigned char *expression;
};

struct cfi_state {
	__u32 cfa_register;
	__u32 cfa_length;		/* of the expression */
	__s64 cfa_offset;
	const unsigned char *cfa_expression;	/* NULL: register and offset */
	struct cfi_where where[CFI_NR_REGISTERS];
};

struct cfi_factors {
	__u64 code;
	__s64 data;
	__u8 machine;
	__u8 encoding;
	__u8 signal;			/* functions that signal handlers return to */
};

/* How deep states may be remembered: compilers go to 1 or 2. */
#define CFI_REMEMBERED	8

struct cfi_run {
	struct cfi_factors factors;
	struct cfi_bytes program;
	const struct cfi_state *initial;
	struct cfi_state state;
	__u64 program_address;		/* of the program's first byte, for relative addresses */
	const unsigned char *program_start;
	__u64 from, pc, to;		/* @rule holds from @from to @pc; the function ends at @to */
	struct oprofile_uw_rule rule;
	int changed;			/* the state, since @rule was made */
	__u8 installs;			/* struct cfi_row; not before @pc has come to where it shows */
	unsigned int nr_remembered;
	struct cfi_state remembered[CFI_REMEMBERED];
};

/* The state at the beginning of every function. 0, or -EINVAL. */
int cfi_run_initial(struct cfi_state *initial, const struct cfi_factors *factors, struct cfi_bytes program);

void cfi_run_begin(struct cfi_run *run, const struct cfi_factors *factors, const struct cfi_state *initial,
		   struct cfi_bytes program, __u64 program_address, __u64 from, __u64 to);

/* 1 and the next row; 0: there is none. */
int cfi_run_next(struct cfi_run *run, struct cfi_row *row);

#endif
