/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trampoline.S -- the trampoline: stubs to which marked frames (marker.h) return, on x86_64.
 *
 * Stub i calls marker_handler, which is marker_returned(), and then returns to the address in slot
 * i. A slot is written only once, so any thread may return to the stub at any time. A stub is
 * entered after its nop, because a stack walk looks up the instruction before a return address. The
 * stub's call frame information describes that the return address is in the slot, at pc - 1 +
 * ARCH_STUBS_SIZE.
 *
 * The stub cannot know which function has returned, or which registers the caller expects to be
 * unchanged: it preserves all registers and flags, except the direction flag, which is always clear
 * when a function returns.
 */
#include "probe/arch/x86_64/trampoline.h"

	.section .text.trampoline, "ax", @progbits
	.globl marker_stubs, marker_slots, marker_called, marker_trampoline_end, marker_handler
	.hidden marker_stubs, marker_slots, marker_called, marker_trampoline_end, marker_handler
	.p2align 16
marker_stubs:
	.set i, 0
	.rept ARCH_STUBS
	.cfi_startproc
	.cfi_def_cfa rsp, 0
	/* DW_CFA_val_expression r16: DW_OP_breg16 0; DW_OP_plus_uconst 65535; DW_OP_deref */
	.cfi_escape 0x16, 16, 7, 0x80, 0x00, 0x23, 0xff, 0xff, 0x03, 0x06
	nop
	pushq marker_slots + ARCH_STUB_SIZE * i(%rip)
	.cfi_def_cfa rsp, 8
	.cfi_offset rip, -8
	jmp marker_common
	.p2align 4
	.cfi_endproc
	.set i, i + 1
	.endr
	.p2align 12
marker_slots:
	.fill ARCH_STUBS_SIZE, 1, 0

marker_common:
	.cfi_startproc
	.cfi_def_cfa rsp, 8
	.cfi_offset rip, -8
	.irp reg, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
	push %\reg
	.cfi_adjust_cfa_offset 8
	.endr
	lahf
	seto %al
	push %rax
	.cfi_adjust_cfa_offset 8
	lea 88(%rsp), %rdi	/* the caller's stack pointer */
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
	call *marker_handler(%rip)
marker_called:
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	pop %rax
	.cfi_adjust_cfa_offset -8
	add $0x7f, %al		/* if %al is 1, this addition sets the overflow flag */
	sahf
	.irp reg, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	pop %\reg
	.cfi_adjust_cfa_offset -8
	.endr
	ret
	.cfi_endproc
marker_trampoline_end:

	.section .bss.marker_handler, "aw", @nobits
	.p2align 3
marker_handler:
	.skip 8

	.section .note.GNU-stack, "", @progbits
