/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.h -- the registers that a walk up the stack begins with, on aarch64.
 */
#ifndef PROBE_ARCH_REGISTERS_H
#define PROBE_ARCH_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

#include "module/uapi/unwind.h"

#define ARCH_MACHINE	OPROFILE_UW_AARCH64
/* From <elf.h>: the relocation of an imported function. 0: unknown. */
#define ARCH_JUMP_SLOT	R_AARCH64_JUMP_SLOT
#define ARCH_GLOB_DAT	R_AARCH64_GLOB_DAT

/* Return a register by its number in DWARF. */
static inline uint64_t arch_register(const void *context, unsigned int number)
{
	const mcontext_t *m = &((const ucontext_t *)context)->uc_mcontext;

	return number < 31 ? m->regs[number] : m->sp;
}

/* Store the caller's registers, with all those that a walk may read. */
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

/* Return the register that holds a return address, while a frame has it in no word of the stack. */
static inline uint64_t arch_link(const void *context)
{
	return ((const ucontext_t *)context)->uc_mcontext.regs[30];
}

/* Only on x86_64. */
static inline void arch_caller(struct arch_caller *caller)
{
	*caller = (struct arch_caller){ 0, 0, 0 };
}

#endif
