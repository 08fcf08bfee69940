/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall.S -- on other CPUs syscall() is not seen: prctl() is.
 */
	.section .note.GNU-stack, "", %progbits
