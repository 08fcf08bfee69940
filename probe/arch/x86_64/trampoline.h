/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trampoline.h -- the stubs to which marked frames return, on x86_64. Also for assembler.
 */
#ifndef PROBE_ARCH_TRAMPOLINE_H
#define PROBE_ARCH_TRAMPOLINE_H

#define ARCH_HAS_TRAMPOLINE	1
#define ARCH_STUBS		4096
#define ARCH_STUB_SIZE		16
#define ARCH_STUBS_SIZE		(ARCH_STUBS * ARCH_STUB_SIZE)
#define ARCH_STUB_ENTRY		1	/* after the nop */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

/*
 * Return whether the call before @code is a call of __morestack(), at the beginning of a function
 * with a split stack: __morestack() calls the code after the ret at @code. Such a function sets
 * r11, the size of its arguments, just before that call. Return true also if the code before cannot
 * be read.
 */
static inline bool arch_splits_stack(uint64_t code)
{
	const unsigned char *c = (const unsigned char *)(uintptr_t)code;

	if (*c != 0xc3)
		return false;
	/* The previous page may not be mapped. */
	if (code % 4096 < 15)
		return true;
	if (c[-5] != 0xe8)
		/* call *%r11, where code may be far away */
		return c[-3] == 0x41 && c[-2] == 0xff && c[-1] == 0xd3;
	/* mov $imm32, %r11d */
	return (c[-11] == 0x41 && c[-10] == 0xbb) ||
	       /* xor %r11d, %r11d */
	       (c[-8] == 0x45 && c[-7] == 0x31 && c[-6] == 0xdb) ||
	       /* mov $imm32, %r11 */
	       (c[-12] == 0x49 && c[-11] == 0xc7 && c[-10] == 0xc3) ||
	       /* movabs $imm64, %r11 */
	       (c[-15] == 0x49 && c[-14] == 0xbb);
}

/* A shadow stack makes the CPU detect a changed return address. The instruction is a nop without
 * one. */
static inline bool arch_has_shadow_stack(void)
{
	uint64_t ssp = 0;

	__asm__ volatile("rdsspq %0" : "+r"(ssp));
	return ssp;
}

/* Return the word by which a frame entered with the stack pointer @sp would keep @address, given
 * that it keeps @to as @word, or 0 if unknown. */
static inline uint64_t arch_keeps_like(uint64_t word, uint64_t to, uint64_t sp, uint64_t address)
{
	(void)sp;
	return word == to ? address : 0;
}

/* Return the stack pointer after a jump to @env. The C library stores it in a jmp_buf rotated and
 * mixed with a secret. */
static inline uint64_t arch_jump_sp(const void *env)
{
	uint64_t sp = ((const uint64_t *)env)[6];

	__asm__("ror $17, %0\n"
		"xor %%fs:0x30, %0" : "+r"(sp) : : "cc");
	return sp;
}

#endif
#endif
