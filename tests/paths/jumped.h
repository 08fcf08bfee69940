/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jumped.h -- JIT code that functions of interpreters enter by a jump. x86_64 only. Include it in
 * only one source file of a program.
 */
#ifndef PATHS_JUMPED_H
#define PATHS_JUMPED_H

#include <string.h>

/*
 * Functions of an interpreter that jump to JIT code, which jumps back. rbp is not a frame pointer:
 * the JIT code calls the function whose address is in rbp. enter_exact() has an unwind row for each
 * instruction, enter_coarse() has one row for its whole body.
 */
void enter_exact(void (*fn)(void), void *code);
void enter_coarse(void (*fn)(void), void *code);
extern const char left_exact[], left_coarse[], lost_coarse[];

__asm__(".text\n"
	".globl enter_exact\n"
	"enter_exact: .cfi_startproc\n"
	"push %rbx; .cfi_def_cfa_offset 16; .cfi_offset rbx, -16\n"
	"push %rbp; .cfi_def_cfa_offset 24; .cfi_offset rbp, -24\n"
	"sub $40, %rsp; .cfi_def_cfa_offset 64\n"
	"lea left_exact(%rip), %rbx\n"
	"mov %rdi, %rbp\n"
	"jmp *%rsi\n"
	".globl left_exact\n"
	"left_exact: add $40, %rsp; .cfi_def_cfa_offset 24\n"
	"pop %rbp; .cfi_restore rbp; .cfi_def_cfa_offset 16\n"
	"pop %rbx; .cfi_restore rbx; .cfi_def_cfa_offset 8\n"
	"ret\n"
	".cfi_endproc\n"
	".globl enter_coarse\n"
	"enter_coarse: .cfi_startproc\n"
	".cfi_def_cfa_offset 64; .cfi_offset rbx, -16; .cfi_offset rbp, -24; .cfi_offset r12, -32\n"
	"push %rbx; push %rbp; push %r12; sub $32, %rsp\n"
	"mov %rsp, %r12\n"
	"lea 1f(%rip), %rbx\n"
	"mov %rdi, %rbp\n"
	"sub $16, %rsp\n"
	"jmp *%rsi\n"
	".globl left_coarse\n"
	"left_coarse: lea 16(%rsp), %rcx\n"
	"mov %rcx, %rsp\n"
	"jmp *%rbx\n"
	".globl lost_coarse\n"
	"lost_coarse: mov %r12, %rsp\n"
	"jmp *%rbx\n"
	"1: add $32, %rsp; pop %r12; pop %rbp; pop %rbx\n"
	"ret\n"
	".cfi_endproc\n");

/*
 * Write JIT code to @at that is entered by a jump: sub room,rsp; call *rbp; add room,rsp; and a
 * jump to @to (NULL: jmp *rbx). Code that jumps to lost_coarse omits the add.
 */
static inline void make_jumped(unsigned char *at, unsigned char room, const char *to)
{
	const unsigned char body[] = {0x48, 0x83, 0xec, room, 0xff, 0xd5, 0x48, 0x83, 0xc4, room};

	memcpy(at, body, sizeof(body));
	at += sizeof(body) - (to == lost_coarse ? 4 : 0);
	if (!to) {
		memcpy(at, (const unsigned char[]){0xff, 0xe3}, 2);
		return;
	}
	/* movabs $to,rax */
	memcpy(at, (const unsigned char[]){0x48, 0xb8}, 2);
	memcpy(at + 2, &to, sizeof(to));
	memcpy(at + 10, (const unsigned char[]){0xff, 0xe0}, 2); /* jmp *rax */
}

#endif
