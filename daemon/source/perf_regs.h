/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_regs.h -- the registers of user mode that perf_events tells, by DWARF's numbers.
 */
#ifndef OPD_PERF_REGS_H
#define OPD_PERF_REGS_H

#include <stdint.h>

#include "module/uapi/unwind_walk.h"

/* sample_regs_user: the registers of this machine that a walk up a stack can need. 0: no paths
 * are made here. */
#if defined(__x86_64__)
#define OPD_PERF_REGS	0xff01ffull	/* ax to ip, r8 to r15 */
#elif defined(__i386__)
#define OPD_PERF_REGS	0x1ffull
#elif defined(__aarch64__)
#define OPD_PERF_REGS	0x1ffffffffull	/* x0 to x30, sp, pc */
#else
#define OPD_PERF_REGS	0ull
#endif

/* Registers as a sample has them. */
struct opd_perf_regs {
	unsigned int machine;		/* of the program: enum oprofile_uw_machine */
	const unsigned char *values;
};

/* Returns 0, or -ENOTSUP when @abi is not known here. */
int opd_perf_regs_init(struct opd_perf_regs *r, uint64_t abi, const unsigned char *values);

#define OPD_PERF_REG_PC	OPROFILE_UW_PC

/* Returns the register with DWARF's number, or PC; 0 when there is no such register. */
uint64_t opd_perf_reg(const struct opd_perf_regs *r, unsigned int number);
uint64_t opd_perf_reg_sp(const struct opd_perf_regs *r);
uint64_t opd_perf_reg_fp(const struct opd_perf_regs *r);

#endif
