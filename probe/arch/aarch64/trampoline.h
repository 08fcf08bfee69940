/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trampoline.h -- stubs of the trampoline on aarch64. A frame with a marker (marker.h) returns to a
 * stub. Also included in assembler files. */
#ifndef PROBE_ARCH_TRAMPOLINE_H
#define PROBE_ARCH_TRAMPOLINE_H

#define ARCH_HAS_TRAMPOLINE	1
#define ARCH_STUBS		4096
#define ARCH_STUB_SIZE		16
#define ARCH_STUBS_SIZE		(ARCH_STUBS * ARCH_STUB_SIZE)
#define ARCH_STUB_ENTRY		4	/* offset of a stub's entry point from the start of the
					 * stub, after a nop */

#ifndef __ASSEMBLER__
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

/* Return false: compilers for aarch64 do not generate split stacks. */
static inline bool arch_splits_stack(uint64_t code)
{
	(void)code;
	return false;
}

/* Return whether the thread uses a guarded control stack, with which the CPU detects a changed
 * return address. On CPUs without that feature, the instruction that reads the state is a nop. */
static inline bool arch_has_shadow_stack(void)
{
	register uint64_t x16 __asm__("x16") = 1;

	__asm__ volatile("hint #40" : "+r"(x16));
	return !x16;
}

/*
 * Return @address signed by pointer authentication key A or B, as a function signs its return
 * address when it is entered with the stack pointer @sp. On CPUs without pointer authentication the
 * instructions are nops.
 */
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

/*
 * A frame saves the return address @to as the stack word @word, signed or unsigned. Return the
 * stack word as which the frame would save the return address @address. @sp: stack pointer at the
 * entry of the frame's function. Return 0 if the result is unknown.
 */
static inline uint64_t arch_keeps_like(uint64_t word, uint64_t to, uint64_t sp, uint64_t address)
{
	const uint64_t ways[][2] = {
		{ to, address }, { arch_signed_a(to, sp), arch_signed_a(address, sp) }, { arch_signed_b(to, sp), arch_signed_b(address, sp) },
	};
	uint64_t ret = 0;

	/* A signature has few bits, for example 7 with 48-bit addresses, so one of 128 wrong
	 * signatures is equal to @word by chance. So compare three signatures. */
	for (int i = 0; i < 3; i++) {
		if (word != ways[i][0])
			continue;
		if (ret && ret != ways[i][1])
			return 0;
		ret = ways[i][1];
	}
	return ret;
}

/* Return the stack pointer to which longjmp(@env) jumps. The C library combines the stack pointer
 * in a jmp_buf with a secret. Find the secret by a call of setjmp(). */
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
