/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trampoline.h -- stubs of the trampoline on x86_64. A frame with a marker (marker.h) returns to a
 * stub. Also included in assembler files. */
#ifndef PROBE_ARCH_TRAMPOLINE_H
#define PROBE_ARCH_TRAMPOLINE_H

#define ARCH_HAS_TRAMPOLINE	1
#define ARCH_STUBS		4096
#define ARCH_STUB_SIZE		16
#define ARCH_STUBS_SIZE		(ARCH_STUBS * ARCH_STUB_SIZE)
#define ARCH_STUB_ENTRY		1	/* offset of a stub's entry point from the start of the
					 * stub, after a nop */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

/*
 * Return whether the return address @code follows a call of __morestack() at the start of a
 * function with a split stack. __morestack() does not return to the ret instruction at @code, but
 * calls the code after it. The function loads r11 with the size of its arguments just before that
 * call. Also return true if the code before @code cannot be read.
 */
static inline bool arch_splits_stack(uint64_t code)
{
	const unsigned char *c = (const unsigned char *)(uintptr_t)code;

	if (*c != 0xc3)
		return false;
	/* Do not read the page before @code, which may not be mapped. */
	if (code % 4096 < 15)
		return true;
	if (c[-5] != 0xe8)
		/* call *%r11, used in the large code model */
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

/* Return whether the thread uses a shadow stack, with which the CPU detects a changed return
 * address. Without a shadow stack, the instruction that reads its address is a nop. */
static inline bool arch_has_shadow_stack(void)
{
	uint64_t ssp = 0;

	__asm__ volatile("rdsspq %0" : "+r"(ssp));
	return ssp;
}

/* A frame saves the return address @to as the stack word @word. Return the stack word as which the
 * frame would save the return address @address, or 0 if it is unknown. */
static inline uint64_t arch_keeps_like(uint64_t word, uint64_t to, uint64_t sp, uint64_t address)
{
	(void)sp;
	return word == to ? address : 0;
}

/* Return the stack pointer to which longjmp(@env) jumps. The C library stores the stack pointer in
 * a jmp_buf, rotated and XORed with a secret from thread-local memory. */
static inline uint64_t arch_jump_sp(const void *env)
{
	uint64_t sp = ((const uint64_t *)env)[6];

	__asm__("ror $17, %0\n"
		"xor %%fs:0x30, %0" : "+r"(sp) : : "cc");
	return sp;
}

#endif
#endif
