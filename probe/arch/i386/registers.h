/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.h -- registers that a stack walk needs at its start, on i386.
 */
#ifndef PROBE_ARCH_REGISTERS_H
#define PROBE_ARCH_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

#include "module/uapi/unwind.h"

#define ARCH_MACHINE	OPROFILE_UW_I386
/* Types of the relocations for the address of an imported function, from <elf.h>. */
#define ARCH_JUMP_SLOT	R_386_JMP_SLOT
#define ARCH_GLOB_DAT	R_386_GLOB_DAT

/* Return the register with the DWARF number @number from the context of a signal handler. */
static inline uint64_t arch_register(const void *context, unsigned int number)
{
	static const unsigned char places[] = {
		REG_EAX, REG_ECX, REG_EDX, REG_EBX, REG_ESP, REG_EBP, REG_ESI, REG_EDI,
	};

	return (uint32_t)((const ucontext_t *)context)->uc_mcontext.gregs[places[number & 7]];
}

/* Store the registers of the calling function that a stack walk needs. Inlined, so these are the
 * registers at the place of the call. */
static inline __attribute__((always_inline)) void arch_here(ucontext_t *c)
{
	greg_t *r = c->uc_mcontext.gregs;

	__asm__ volatile("mov %%ebx, %0\n"
			 "mov %%esi, %1\n"
			 "mov %%edi, %2\n"
			 "mov %%ebp, %3\n"
			 "mov %%esp, %4\n"
			 : "=m"(r[REG_EBX]), "=m"(r[REG_ESI]), "=m"(r[REG_EDI]), "=m"(r[REG_EBP]),
			   "=m"(r[REG_ESP]));
	__asm__ volatile("call 1f\n"
			 "1:	pop %0\n" : "=r"(r[REG_EIP]));
}

static inline uint64_t arch_sp(const void *context)
{
	return (uint32_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_ESP];
}

static inline uint64_t arch_fp(const void *context)
{
	return (uint32_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_EBP];
}

/* Return 0: on this CPU no register holds a return address. */
static inline uint64_t arch_link(const void *context)
{
	(void)context;
	return 0;
}

/* Store pc 0 (unknown): the caller's registers are not available on this CPU. */
static inline void arch_caller(struct arch_caller *caller)
{
	*caller = (struct arch_caller){ 0, 0, 0 };
}

#endif
