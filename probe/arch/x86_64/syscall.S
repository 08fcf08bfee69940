/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall.S -- the replacement of syscall() on x86_64. It calls seccomp_calls() for system calls
 * that may install a seccomp filter, and then jumps to the C library's syscall().
 *
 * The replacement jumps with the stack unchanged and does not call, because a system call that
 * creates a child with another stack returns on that stack.
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
