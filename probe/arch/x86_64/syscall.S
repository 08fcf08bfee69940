/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall.S -- syscall() on x86_64: seccomp_calls() handles the calls that may install a filter,
 * and the C library's syscall() makes all.
 *
 * This is a jump with an unchanged stack: a call that creates a child on another stack returns
 * there.
 */
#include <asm/unistd.h>

	.text
	.globl syscall
	.type syscall, @function
	.hidden seccomp_next, seccomp_calls
	.p2align 4
syscall:
	.cfi_startproc
	endbr64
	mov seccomp_next(%rip), %rax
	test %rax, %rax
	je 1f
	cmp $__NR_prctl, %rdi
	je 1f
	cmp $__NR_seccomp, %rdi
	je 1f
	jmp *%rax
1:	.irp reg, rdi, rsi, rdx, rcx, r8, r9
	push %\reg
	.cfi_adjust_cfa_offset 8
	.endr
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
	call seccomp_calls
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	.irp reg, r9, r8, rcx, rdx, rsi, rdi
	pop %\reg
	.cfi_adjust_cfa_offset -8
	.endr
	jmp *%rax
	.cfi_endproc
	.size syscall, . - syscall

	.section .note.GNU-stack, "", @progbits
