/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.h -- conversion of the state that the interpreter of call frame instructions computes
 * (program.h) to a rule of an unwind table.
 */
#ifndef LIBCFI_RULE_H
#define LIBCFI_RULE_H

#include <stdbool.h>

#include "libcfi/program.h"

/* Register numbers that DWARF defines for a machine, and the size of a word in bytes. */
struct cfi_numbers {
	/* .pc: number of the column with the return address; .bx: number of rbx or ebx, or 255 if
	 * the machine does not have this register */
	__u8 word, pc, sp, fp, bx;
};
const struct cfi_numbers *cfi_numbers(unsigned int machine);

void cfi_rule(struct oprofile_uw_rule *rule, const struct cfi_state *state,
	      const struct cfi_factors *factors);

static inline bool cfi_same_rule(const struct oprofile_uw_rule *a, const struct oprofile_uw_rule *b)
{
	return a->cfa_offset == b->cfa_offset && a->cfa == b->cfa &&
	       a->cfa_register == b->cfa_register && a->cfa_add == b->cfa_add &&
	       a->saved == b->saved && a->fp_offset == b->fp_offset &&
	       a->other_offset == b->other_offset;
}

#endif
