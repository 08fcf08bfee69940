/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trampoline.h -- what marked frames return to, on x86_64. For assembler too.
 */
#ifndef PROBE_ARCH_TRAMPOLINE_H
#define PROBE_ARCH_TRAMPOLINE_H

#define ARCH_HAS_TRAMPOLINE	1
#define ARCH_STUBS		4096
#define ARCH_STUB_SIZE		16
#define ARCH_STUBS_SIZE		(ARCH_STUBS * ARCH_STUB_SIZE)
#define ARCH_STUB_ENTRY		1	/* behind the nop */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

/* Where a function that is called by @code, which returns there, finds that again: __morestack() of a split stack calls
 * what is behind such a return. */
#define ARCH_RET		0xc3

static inline bool arch_returns_at_once(uint64_t code)
{
	return *(const unsigned char *)(uintptr_t)code == ARCH_RET;
}

/* A shadow stack tells the CPU that a return address was changed. The instruction is a nop where there is none. */
static inline bool arch_has_shadow_stack(void)
{
	uint64_t ssp = 0;

	__asm__ volatile("rdsspq %0" : "+r"(ssp));
	return ssp;
}

/* How a frame keeps the return address @address, entered with the stack pointer @sp, if it keeps @to as @word. 0: that is not known. */
static inline uint64_t arch_keeps_like(uint64_t word, uint64_t to, uint64_t sp, uint64_t address)
{
	(void)sp;
	return word == to ? address : 0;
}

/* What the stack pointer becomes by a jump to @env, as the C library keeps it in a jmp_buf: turned and mixed with a secret. */
static inline uint64_t arch_jump_sp(const void *env)
{
	uint64_t sp = ((const uint64_t *)env)[6];

	__asm__("ror $17, %0\n"
		"xor %%fs:0x30, %0" : "+r"(sp) : : "cc");
	return sp;
}

#endif
#endif
