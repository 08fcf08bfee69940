/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.h -- registers that a stack walk needs at its start, on aarch64.
 */
#ifndef PROBE_ARCH_REGISTERS_H
#define PROBE_ARCH_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

#include "module/uapi/unwind.h"

#define ARCH_MACHINE	OPROFILE_UW_AARCH64
/* Types of the relocations for the address of an imported function, from <elf.h>. */
#define ARCH_JUMP_SLOT	R_AARCH64_JUMP_SLOT
#define ARCH_GLOB_DAT	R_AARCH64_GLOB_DAT

/* Return the register with the DWARF number @number from the context of a signal handler. */
static inline uint64_t arch_register(const void *context, unsigned int number)
{
	const mcontext_t *m = &((const ucontext_t *)context)->uc_mcontext;

	return number < 31 ? m->regs[number] : m->sp;
}

/* Store the registers of the calling function that a stack walk needs. Inlined, so these are the
 * registers at the place of the call. */
static inline __attribute__((always_inline)) void arch_here(ucontext_t *c)
{
	mcontext_t *m = &c->uc_mcontext;

	__asm__ volatile("stp x19, x20, [%0, #152]\n"
			 "stp x21, x22, [%0, #168]\n"
			 "stp x23, x24, [%0, #184]\n"
			 "stp x25, x26, [%0, #200]\n"
			 "stp x27, x28, [%0, #216]\n"
			 "stp x29, x30, [%0, #232]\n" : : "r"(m->regs) : "memory");
	__asm__ volatile("mov %0, sp\n"
			 "adr %1, .\n" : "=&r"(m->sp), "=&r"(m->pc));
}

static inline uint64_t arch_sp(const void *context)
{
	return ((const ucontext_t *)context)->uc_mcontext.sp;
}

static inline uint64_t arch_fp(const void *context)
{
	return ((const ucontext_t *)context)->uc_mcontext.regs[29];
}

/* Return the link register, which contains the return address of a function that has not saved
 * it on the stack. */
static inline uint64_t arch_link(const void *context)
{
	return ((const ucontext_t *)context)->uc_mcontext.regs[30];
}

/* Store pc 0 (unknown): the caller's registers are not available on this CPU. */
static inline void arch_caller(struct arch_caller *caller)
{
	*caller = (struct arch_caller){ 0, 0, 0 };
}

#endif
