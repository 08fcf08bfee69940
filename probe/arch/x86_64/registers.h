/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.h -- registers that a stack walk needs at its start, on x86_64.
 */
#ifndef PROBE_ARCH_REGISTERS_H
#define PROBE_ARCH_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

#include "module/uapi/unwind.h"

#define ARCH_MACHINE	OPROFILE_UW_X86_64
/* Types of the relocations for the address of an imported function, from <elf.h>. */
#define ARCH_JUMP_SLOT	R_X86_64_JUMP_SLOT
#define ARCH_GLOB_DAT	R_X86_64_GLOB_DAT

/* Return the register with the DWARF number @number from the context of a signal handler. */
static inline uint64_t arch_register(const void *context, unsigned int number)
{
	static const unsigned char places[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	return ((const ucontext_t *)context)->uc_mcontext.gregs[places[number & 15]];
}

/* Store the registers of the calling function that a stack walk needs. Inlined, so these are the
 * registers at the place of the call. */
static inline __attribute__((always_inline)) void arch_here(ucontext_t *c)
{
	greg_t *r = c->uc_mcontext.gregs;

	__asm__ volatile("lea 0(%%rip), %%rax\n"
			 "mov %%rax, %0\n"
			 "mov %%rsp, %1\n"
			 "mov %%rbp, %2\n"
			 "mov %%rbx, %3\n"
			 "mov %%r12, %4\n"
			 "mov %%r13, %5\n"
			 "mov %%r14, %6\n"
			 "mov %%r15, %7\n"
			 : "=m"(r[REG_RIP]), "=m"(r[REG_RSP]), "=m"(r[REG_RBP]), "=m"(r[REG_RBX]),
			   "=m"(r[REG_R12]), "=m"(r[REG_R13]), "=m"(r[REG_R14]), "=m"(r[REG_R15])
			 :
			 : "rax");
}

static inline uint64_t arch_sp(const void *context)
{
	return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
}

static inline uint64_t arch_fp(const void *context)
{
	return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_RBP];
}

/* Return 0: on this CPU no register holds a return address. */
static inline uint64_t arch_link(const void *context)
{
	(void)context;
	return 0;
}

/* Store the pc, sp and frame pointer that the caller of the containing function will have after
 * the return. */
static inline __attribute__((always_inline)) void arch_caller(struct arch_caller *caller)
{
	const uint64_t *frame = __builtin_frame_address(0);

	*caller = (struct arch_caller){ frame[1], (uintptr_t)(frame + 2), frame[0] };
}

#endif
