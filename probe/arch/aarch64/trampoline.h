/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trampoline.h -- what marked frames return to, on aarch64. For assembler too.
 */
#ifndef PROBE_ARCH_TRAMPOLINE_H
#define PROBE_ARCH_TRAMPOLINE_H

#define ARCH_HAS_TRAMPOLINE	1
#define ARCH_STUBS		4096
#define ARCH_STUB_SIZE		16
#define ARCH_STUBS_SIZE		(ARCH_STUBS * ARCH_STUB_SIZE)
#define ARCH_STUB_ENTRY		4	/* behind the nop */

#ifndef __ASSEMBLER__
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

/* No compiler for this machine splits stacks. */
static inline bool arch_splits_stack(uint64_t code)
{
	(void)code;
	return false;
}

/* Guarded control stacks are the first of the features that this instruction tells of, a nop on CPUs that have it not. */
static inline bool arch_has_shadow_stack(void)
{
	register uint64_t x16 __asm__("x16") = 1;

	__asm__ volatile("hint #40" : "+r"(x16));
	return !x16;
}

/* Signed by one of the CPU's two keys, as of a function entered with the stack pointer @sp. Without pointer authentication, or where
 * a process has it not, these are nops, too. */
static inline uint64_t arch_signed_a(uint64_t address, uint64_t sp)
{
	register uint64_t x17 __asm__("x17") = address;
	register uint64_t x16 __asm__("x16") = sp;

	__asm__("hint #8" : "+r"(x17) : "r"(x16));
	return x17;
}

static inline uint64_t arch_signed_b(uint64_t address, uint64_t sp)
{
	register uint64_t x17 __asm__("x17") = address;
	register uint64_t x16 __asm__("x16") = sp;

	__asm__("hint #10" : "+r"(x17) : "r"(x16));
	return x17;
}

/* How a frame keeps the return address @address, entered with the stack pointer @sp, if it keeps @to as @word. 0: that is not known. */
static inline uint64_t arch_keeps_like(uint64_t word, uint64_t to, uint64_t sp, uint64_t address)
{
	const uint64_t ways[][2] = {
		{ to, address }, { arch_signed_a(to, sp), arch_signed_a(address, sp) }, { arch_signed_b(to, sp), arch_signed_b(address, sp) },
	};
	uint64_t ret = 0;

	/* A signature has few bits, 7 where addresses have 48: one in 128 is that of another way, or none at all. */
	for (int i = 0; i < 3; i++) {
		if (word != ways[i][0])
			continue;
		if (ret && ret != ways[i][1])
			return 0;
		ret = ways[i][1];
	}
	return ret;
}

/* What the stack pointer becomes by a jump to @env. The C library keeps it in a jmp_buf mixed with a secret, which one of our own
 * tells. */
static inline uint64_t arch_jump_sp(const void *env)
{
	enum { SP = 13 };
	jmp_buf own;
	uint64_t sp;

	_setjmp(own);
	__asm__ volatile("mov %0, sp" : "=r"(sp));
	return ((const uint64_t *)env)[SP] ^ ((const uint64_t *)own)[SP] ^ sp;
}

#endif
#endif
