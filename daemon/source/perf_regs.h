/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_regs.h -- user-mode registers of perf_events samples, by DWARF register number. */
#ifndef OPD_PERF_REGS_H
#define OPD_PERF_REGS_H

#include <stdint.h>

#include "module/uapi/unwind_walk.h"

/* For perf_event_attr.sample_regs_user: the registers that unwinding may need. 0: the daemon
 * cannot unwind stacks on this machine. */
#if defined(__x86_64__)
#define OPD_PERF_REGS	0xff01ffull	/* the registers ax to ip, r8 to r15 */
#elif defined(__i386__)
#define OPD_PERF_REGS	0x1ffull
#elif defined(__aarch64__)
#define OPD_PERF_REGS	0x1ffffffffull	/* the registers x0 to x30, sp, pc */
#else
#define OPD_PERF_REGS	0ull
#endif

/* The user-mode registers of a sample. */
struct opd_perf_regs {
	/* type of the program's CPU, an enum oprofile_uw_machine */
	unsigned int machine;
	const unsigned char *values;
};

/* Initialize @r from the register values @values of a sample. Return 0, or -ENOTSUP if @abi is
 * unknown. */
int opd_perf_regs_init(struct opd_perf_regs *r, uint64_t abi, const unsigned char *values);

#define OPD_PERF_REG_PC	OPROFILE_UW_PC

/* Return the register with DWARF number @number, or OPD_PERF_REG_PC. Return 0 if the sample does
 * not contain the register. */
uint64_t opd_perf_reg(const struct opd_perf_regs *r, unsigned int number);
uint64_t opd_perf_reg_sp(const struct opd_perf_regs *r);
uint64_t opd_perf_reg_fp(const struct opd_perf_regs *r);

#endif
