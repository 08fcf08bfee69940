/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall.S -- the replacement of syscall() on aarch64. It calls seccomp_calls() for system calls
 * that may install a seccomp filter, and then jumps to the C library's syscall().
 *
 * The replacement jumps with the stack unchanged and does not call, because a system call that
 * creates a child with another stack returns on that stack.
 */
#include <asm/unistd.h>

	.text
	.globl syscall
	.type syscall, %function
	.hidden seccomp_next, seccomp_calls
	.p2align 4
syscall:
	.cfi_startproc
	hint #34		/* the instruction bti c */
	adrp x16, seccomp_next
	ldr x16, [x16, :lo12:seccomp_next]
	cbz x16, 1f
	cmp x0, #__NR_prctl
	b.eq 1f
	cmp x0, #__NR_seccomp
	b.eq 1f
	br x16
1:	stp x29, x30, [sp, #-80]!
	.cfi_def_cfa_offset 80
	.cfi_offset x29, -80
	.cfi_offset x30, -72
	stp x0, x1, [sp, #16]
	stp x2, x3, [sp, #32]
	stp x4, x5, [sp, #48]
	stp x6, x7, [sp, #64]
	bl seccomp_calls
	mov x16, x0
	ldp x0, x1, [sp, #16]
	ldp x2, x3, [sp, #32]
	ldp x4, x5, [sp, #48]
	ldp x6, x7, [sp, #64]
	ldp x29, x30, [sp], #80
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	br x16
	.cfi_endproc
	.size syscall, . - syscall

	.section .note.GNU-stack, "", %progbits
