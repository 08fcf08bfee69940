/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trampoline.S -- the trampoline: stubs to which marked frames (marker.h) return, on aarch64.
 *
 * Stub i calls marker_handler, which is marker_returned(), and then jumps to the address in slot i.
 * A slot is written only once, so any thread may return to the stub at any time. A stub is entered
 * after its nop, because a stack walk looks up the instruction before a return address. The stub's
 * call frame information describes that the return address is in the slot, at x30 - 4 +
 * ARCH_STUBS_SIZE, because x30 is the address at which the stub was entered. In a stack walk, x30
 * may have a pointer authentication signature in its highest 16 bits, which the expression removes.
 *
 * The stub cannot know which function has returned, or which registers the caller expects to be
 * unchanged: it preserves the flags and all registers except x30.
 */
#include "probe/arch/aarch64/trampoline.h"

	.section .text.trampoline, "ax", %progbits
	.globl marker_stubs, marker_slots, marker_called, marker_trampoline_end, marker_handler
	.hidden marker_stubs, marker_slots, marker_called, marker_trampoline_end, marker_handler
	.p2align 16
marker_stubs:
	.set i, 0
	.rept ARCH_STUBS
	.cfi_startproc
	/* DW_CFA_val_expression x30: DW_OP_breg30 0; DW_OP_lit16; DW_OP_shl; DW_OP_lit16;
	   DW_OP_shr; DW_OP_plus_uconst 65532; DW_OP_deref */
	.cfi_escape 0x16, 30, 11, 0x8e, 0x00, 0x40, 0x24, 0x40, 0x25, 0x23, 0xfc, 0xff, 0x03, 0x06
	nop
	ldr x30, marker_slots + ARCH_STUB_SIZE * i
	.cfi_same_value 30
	b marker_common
	.p2align 4
	.cfi_endproc
	.set i, i + 1
	.endr
	.p2align 16
marker_slots:
	.fill ARCH_STUBS_SIZE, 1, 0

marker_common:
	.cfi_startproc
	stp x0, x1, [sp, #-176]!
	.cfi_def_cfa_offset 176
	stp x2, x3, [sp, #16]
	stp x4, x5, [sp, #32]
	stp x6, x7, [sp, #48]
	stp x8, x9, [sp, #64]
	stp x10, x11, [sp, #80]
	stp x12, x13, [sp, #96]
	stp x14, x15, [sp, #112]
	stp x16, x17, [sp, #128]
	stp x18, x30, [sp, #144]
	.cfi_offset 30, -24
	mrs x0, nzcv
	str x0, [sp, #160]
	add x0, sp, #176	/* the caller's stack pointer */
	adrp x1, marker_handler
	ldr x1, [x1, :lo12:marker_handler]
	blr x1
marker_called:
	ldr x0, [sp, #160]
	msr nzcv, x0
	ldp x18, x30, [sp, #144]
	.cfi_same_value 30
	ldp x16, x17, [sp, #128]
	ldp x14, x15, [sp, #112]
	ldp x12, x13, [sp, #96]
	ldp x10, x11, [sp, #80]
	ldp x8, x9, [sp, #64]
	ldp x6, x7, [sp, #48]
	ldp x4, x5, [sp, #32]
	ldp x2, x3, [sp, #16]
	ldp x0, x1, [sp], #176
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
marker_trampoline_end:

	.section .bss.marker_handler, "aw", %nobits
	.p2align 3
marker_handler:
	.skip 8

	.section .note.GNU-stack, "", %progbits
